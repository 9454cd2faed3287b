@testable import StreamQueryOperators
import Testing

struct DownstreamQueueTests {
  private let first = ArrivalID(rawValue: 1)
  private let second = ArrivalID(rawValue: 2)
  private let failure = ArrivalID(rawValue: 3)

  @Test func whoWaitsGetsTheNextArrivalOnce() {
    var queue = DownstreamQueue()
    expectEqual(queue.demanded(), [])
    expectEqual(queue.append(first), [.deliver(first)])
    expectEqual(queue.append(second), [])
    expectEqual(queue.queue, [second])
  }

  @Test func whatIsQueuedComesInOrderAndThenTheFailure() {
    var queue = DownstreamQueue()
    expectEqual(queue.append(first) + queue.append(second) + queue.end(with: failure), [])
    expectEqual(queue.demanded(), [.deliver(first)])
    expectEqual(queue.demanded(), [.deliver(second)])
    expectEqual(queue.demanded(), [.deliver(failure)])
    expectEqual(queue.demanded(), [.finish])
    expectEqual(queue.state, .closed)
  }

  @Test func replacingDiscardsWhatNobodyTook() {
    var queue = DownstreamQueue()
    expectEqual(queue.append(first), [])
    expectEqual(queue.replace(with: second), [.discard(first)])
    expectEqual(queue.demanded(), [.deliver(second)])
  }

  @Test func closingDiscardsEverythingAndTellsWhoWaits() {
    var queued = DownstreamQueue()
    _ = queued.append(first) + queued.end(with: failure)
    expectEqual(queued.close(), [.discard(first), .discard(failure)])
    expectEqual(queued.close(), [])
    var waiting = DownstreamQueue()
    _ = waiting.demanded()
    expectEqual(waiting.close(), [.finish])
  }

  @Test func whatIsHeldComesWhenItIsLetThroughOrAtTheEnd() {
    var queue = DownstreamQueue()
    expectEqual(queue.demanded(), [])
    expectEqual(queue.hold(first), [])
    expectEqual(queue.hold(second), [.discard(first)])
    expectEqual(queue.deliverHeld(), [.deliver(second)])
    expectEqual(queue.deliverHeld(), [])
    expectEqual(queue.hold(first) + queue.end(with: failure), [])
    expectEqual(queue.demanded(), [.deliver(first)])
    expectEqual(queue.demanded(), [.deliver(failure)])
    var closed = DownstreamQueue()
    expectEqual(closed.hold(first), [])
    expectEqual(closed.close(), [.discard(first)])
    expectEqual(closed.hold(second), [.discard(second)])
  }

  @Test func nothingGetsInAfterTheEnd() {
    var queue = DownstreamQueue()
    expectEqual(queue.end(with: nil), [])
    expectEqual(queue.append(first), [.discard(first)])
    expectEqual(queue.replace(with: first), [.discard(first)])
    expectEqual(queue.end(with: failure), [.discard(failure)])
    expectEqual(queue.end(with: nil) + queue.timeOut(), [])
    expectEqual(queue.demanded(), [.finish])
  }
}
