import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

@Suite struct PrependTests {
  let simulation = Simulation(seed: 1)

  private struct Broken: Error {}

  @Test func givesTheElementsFirstInOrder() {
    let (stream, input) = AsyncStream<String>.makeStream()
    let recording = simulation.record(stream.prepend("x", "y"))
    simulation.settle()
    #expect(recording.values == ["x", "y"])
    input.yield("a")
    simulation.settle()
    input.finish()
    simulation.settle()
    #expect(recording.values == ["x", "y", "a"])
    #expect(recording.isFinished)
    #expect(simulation.leakReport() == [])
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
    #expect(elements == [1, 2])
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
    #expect(await task.value == [1])
  }

  @Test func eachIteratorGetsThemAll() async {
    let sequence = AsyncStream<Int> { $0.finish() }.prepend(1, 2)
    for _ in 0..<2 {
      var elements: [Int] = []
      for await element in sequence { elements.append(element) }
      #expect(elements == [1, 2])
    }
  }
}
