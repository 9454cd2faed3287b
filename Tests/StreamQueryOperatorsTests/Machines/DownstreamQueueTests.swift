@testable import StreamQueryOperators
import Testing

@Suite struct DownstreamQueueTests {
  private let first = ArrivalID(rawValue: 1)
  private let second = ArrivalID(rawValue: 2)
  private let failure = ArrivalID(rawValue: 3)

  @Test func whoWaitsGetsTheNextArrivalOnce() {
    var queue = DownstreamQueue()
    #expect(queue.demanded() == [])
    #expect(queue.append(first) == [.deliver(first)])
    #expect(queue.append(second) == [])
    #expect(queue.queue == [second])
  }

  @Test func whatIsQueuedComesInOrderAndThenTheFailure() {
    var queue = DownstreamQueue()
    #expect(queue.append(first) + queue.append(second) + queue.end(with: failure) == [])
    #expect(queue.demanded() == [.deliver(first)])
    #expect(queue.demanded() == [.deliver(second)])
    #expect(queue.demanded() == [.deliver(failure)])
    #expect(queue.demanded() == [.finish])
    #expect(queue.state == .closed)
  }

  @Test func replacingDiscardsWhatNobodyTook() {
    var queue = DownstreamQueue()
    #expect(queue.append(first) == [])
    #expect(queue.replace(with: second) == [.discard(first)])
    #expect(queue.demanded() == [.deliver(second)])
  }

  @Test func closingDiscardsEverythingAndTellsWhoWaits() {
    var queued = DownstreamQueue()
    _ = queued.append(first) + queued.end(with: failure)
    #expect(queued.close() == [.discard(first), .discard(failure)])
    #expect(queued.close() == [])
    var waiting = DownstreamQueue()
    _ = waiting.demanded()
    #expect(waiting.close() == [.finish])
  }

  @Test func whatIsHeldComesWhenItIsLetThroughOrAtTheEnd() {
    var queue = DownstreamQueue()
    #expect(queue.demanded() == [])
    #expect(queue.hold(first) == [])
    #expect(queue.hold(second) == [.discard(first)])
    #expect(queue.deliverHeld() == [.deliver(second)])
    #expect(queue.deliverHeld() == [])
    #expect(queue.hold(first) + queue.end(with: failure) == [])
    #expect(queue.demanded() == [.deliver(first)])
    #expect(queue.demanded() == [.deliver(failure)])
    var closed = DownstreamQueue()
    #expect(closed.hold(first) == [])
    #expect(closed.close() == [.discard(first)])
    #expect(closed.hold(second) == [.discard(second)])
  }

  @Test func nothingGetsInAfterTheEnd() {
    var queue = DownstreamQueue()
    #expect(queue.end(with: nil) == [])
    #expect(queue.append(first) == [.discard(first)])
    #expect(queue.replace(with: first) == [.discard(first)])
    #expect(queue.end(with: failure) == [.discard(failure)])
    #expect(queue.end(with: nil) + queue.timeOut() == [])
    #expect(queue.demanded() == [.finish])
  }
}
