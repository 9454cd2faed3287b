import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct PrependTests {
  let simulation = Simulation(seed: 1)

  private struct Broken: Error {}

  /// Gives numbers, then fails once; the iterator that failed is at its end.
  private struct FailingOnce: AsyncSequence {
    struct Iterator: AsyncIteratorProtocol {
      var left: ArraySlice<Int>
      var hasFailed = false

      mutating func next(isolation _: isolated (any Actor)?) async throws(Broken) -> Int? {
        if let first = left.popFirst() { return first }
        guard !hasFailed else { return nil }
        hasFailed = true
        throw Broken()
      }
    }

    let numbers: [Int]
    let onBegin: () -> Void

    func makeAsyncIterator() -> Iterator {
      onBegin()
      return Iterator(left: numbers[...])
    }
  }

  /// Carries an iterator from task to task.
  @MainActor private final class Carrier {
    private var iterator: PrependedSequence<AsyncStream<Int>>.Iterator

    init(_ sequence: PrependedSequence<AsyncStream<Int>>) {
      iterator = sequence.makeAsyncIterator()
    }

    func next() async -> Int? {
      var moved = iterator
      let element = await moved.next(isolation: #isolation)
      iterator = moved
      return element
    }
  }

  @Test func givesTheElementsFirstInOrder() {
    let (stream, input) = AsyncStream<String>.makeStream()
    let recording = simulation.record(stream.prepend("x", "y"))
    simulation.settle()
    expectEqual(recording.values, ["x", "y"])
    input.yield("a")
    simulation.settle()
    input.finish()
    simulation.settle()
    expectEqual(recording.values, ["x", "y", "a"])
    expect(recording.isFinished)
    expectEqual(simulation.leakReport(), [])
  }

  @Test func withoutElementsItIsTheSequence() {
    expectDiagram("-a-b|") { $0.input("-a-b|").prepend() }
    expectDiagram("-a-^") { $0.failing("-a-^").prepend() }
  }

  @Test func aFailureComesAfterThem() async {
    var elements: [Int] = []
    let failing = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Broken()) }
    await #expect(throws: Broken.self) {
      for try await element in failing.prepend(1, 2) { elements.append(element) }
    }
    expectEqual(elements, [1, 2])
  }

  @Test(arguments: [[], [1]])
  func afterAFailureComesTheEnd(numbers: [Int]) async throws {
    var beginnings = 0
    let sequence = FailingOnce(numbers: numbers) { beginnings += 1 }.prepend(0)
    var iterator = sequence.makeAsyncIterator()
    for number in [0] + numbers { try await expectEqual(iterator.next(), number) }
    do throws(Broken) {
      _ = try await iterator.next()
      Issue.record("it did not throw")
    } catch {}
    for _ in 0..<2 { try await expectNil(iterator.next()) }
    expectEqual(beginnings, 1)
  }

  /// An iterator that gave its end to a cancelled task has nothing for one that is not cancelled.
  @MainActor @Test func afterACancelledNextComesTheEnd() async {
    let carrier = Carrier(AsyncStream<Int> { $0.yield(2) }.prepend(1))
    let cancelled = Task { () -> Int? in
      withUnsafeCurrentTask { $0?.cancel() }
      return await carrier.next()
    }
    await expectNil(cancelled.value)
    await expectNil(carrier.next())
  }

  @Test func aCancelledConsumerGetsNoMore() async {
    let task = Task { () -> [Int] in
      let sequence = AsyncStream<Int> { $0.finish() }.prepend(1, 2, 3)
      var elements: [Int] = []
      for await element in sequence {
        elements.append(element)
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return elements
    }
    await expectEqual(task.value, [1])
  }

  @Test func eachIteratorGetsThemAll() async {
    let sequence = AsyncStream<Int> { $0.finish() }.prepend(1, 2)
    for _ in 0..<2 {
      var elements: [Int] = []
      for await element in sequence { elements.append(element) }
      expectEqual(elements, [1, 2])
    }
  }
}
