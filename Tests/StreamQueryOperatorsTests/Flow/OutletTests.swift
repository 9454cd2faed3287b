@testable import StreamQueryOperators
import Testing

@Suite struct OutletTests {
  private let first = ArrivalID(rawValue: 1)
  private let second = ArrivalID(rawValue: 2)
  private let failure = ArrivalID(rawValue: 3)

  @Test func whoWaitsGetsTheNextArrivalOnce() {
    var outlet = Outlet()
    #expect(outlet.demanded() == [])
    #expect(outlet.append(first) == [.deliver(first)])
    #expect(outlet.append(second) == [])
    #expect(outlet.queue == [second])
  }

  @Test func whatIsQueuedComesInOrderAndThenTheFailure() {
    var outlet = Outlet()
    #expect(outlet.append(first) + outlet.append(second) + outlet.fail(with: failure) == [])
    #expect(outlet.demanded() == [.deliver(first)])
    #expect(outlet.demanded() == [.deliver(second)])
    #expect(outlet.demanded() == [.deliver(failure)])
    #expect(outlet.demanded() == [.finish])
    #expect(outlet.state == .closed)
  }

  @Test func replacingDiscardsWhatNobodyTook() {
    var outlet = Outlet()
    #expect(outlet.append(first) == [])
    #expect(outlet.replace(with: second) == [.discard(first)])
    #expect(outlet.demanded() == [.deliver(second)])
  }

  @Test func closingDiscardsEverythingAndTellsWhoWaits() {
    var queued = Outlet()
    _ = queued.append(first) + queued.fail(with: failure)
    #expect(queued.close() == [.discard(first), .discard(failure)])
    #expect(queued.close() == [])
    var waiting = Outlet()
    _ = waiting.demanded()
    #expect(waiting.close() == [.finish])
  }

  @Test func nothingGetsInAfterTheEnd() {
    var outlet = Outlet()
    #expect(outlet.finish() == [])
    #expect(outlet.append(first) == [.discard(first)])
    #expect(outlet.replace(with: first) == [.discard(first)])
    #expect(outlet.fail(with: failure) == [.discard(failure)])
    #expect(outlet.finish() + outlet.timeOut() == [])
    #expect(outlet.demanded() == [.finish])
  }
}
