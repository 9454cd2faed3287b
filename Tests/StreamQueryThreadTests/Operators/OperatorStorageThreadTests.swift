import StreamQueryOperators
import Testing

/// On real threads: nothing is lost or repeated, and what is cancelled ends.
struct OperatorStorageThreadTests {
  @Test func nothingIsLostOrRepeatedOnRealThreads() async {
    let count = 500
    let streams = (0..<4).map { source in
      AsyncStream<Int> { continuation in
        Task.detached {
          for number in 0..<count { continuation.yield(source * count + number) }
          continuation.finish()
        }
      }
    }
    var elements: [Int] = []
    for await element in merge(streams) { elements.append(element) }
    expectEqual(elements.sorted(), Array(0..<4 * count))
    for source in 0..<4 {
      let own = elements.filter { $0 / count == source }
      expectEqual(own, own.sorted(), "each upstream keeps its order")
    }
  }

  @Test(arguments: 0..<50)
  func cancellationOnRealThreadsAlwaysEnds(round: Int) async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let consumer = Task.detached {
      let merged = merge(stream.timeout(after: .seconds(60)), IntervalSequence(every: .seconds(60)))
      for try await element in merged where element == .max { return }
    }
    let producer = Task.detached {
      for number in 0..<round * 4 { continuation.yield(number) }
    }
    let canceller = Task.detached { consumer.cancel() }
    await producer.value
    await canceller.value
    _ = await consumer.result
  }
}
