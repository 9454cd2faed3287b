@testable import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

@Suite struct SideEffectTests {
  @Test func onSuccessRunsOncePerData() {
    let seen = Mutex<[String]>([])
    let line = "p-x-(x*)-(x!)-x-(s~)-x-(y!)-y-(z!)|"
    expectDiagram(line, seeds: 0..<1, render: Sample.text) {
      $0.results("p-x-(x*)-(x!)-x-(s~)-(x')-(y!)-y-(z!)|").onSuccess { value in
        seen.withLock { $0.append(value) }
      }
    }
    #expect(seen.withLock { $0 } == ["x", "x", "y"])
  }

  @Test func onFailureRunsOncePerError() {
    let seen = Mutex<[String]>([])
    let line = "p-(!)-(!*)-(!)-(x!2)-x-(x!)|"
    expectDiagram(line, seeds: 0..<1, render: Sample.text) {
      $0.results(line).onFailure { error in seen.withLock { $0.append("\(error)") } }
    }
    #expect(seen.withLock { $0 } == ["!", "!2", "!"])
  }

  @Test func onChangeRunsForEveryResultBeforeItIsDelivered() {
    let seen = Mutex<[String]>([])
    expectDiagram(
      "p-(p*)-x|",
      seeds: 0..<1,
      render: { result in
        seen.withLock { $0.append("delivered") }
        return Sample.text(result)
      }
    ) {
      $0.results("p-(p*)-x|").onChange { result in
        seen.withLock { $0.append(Sample.text(result)) }
      }
    }
    #expect(
      seen.withLock { $0 } == ["p", "delivered", "p*", "delivered", "x", "delivered"]
    )
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.onSuccess { _ in } }
    expectEndsPassThrough { $0.onFailure { _ in } }
    expectEndsPassThrough { $0.onChange { _ in } }
  }

  @Test func cachedDataIsNewToTheStream() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let seen = Mutex<[String]>([])
    let query = Query("a", fetch: ScriptedFetch<String>(.value("fetched")))
    client.setData("cached", for: query)
    let recording = simulation.record(
      client.results(of: query).onSuccess { value in seen.withLock { $0.append(value) } }
    )
    simulation.settle()
    #expect(seen.withLock { $0 } == ["cached", "fetched"])
    recording.cancel()
  }
}
