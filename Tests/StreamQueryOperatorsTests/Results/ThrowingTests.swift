@testable import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct ThrowingTests {
  private func expect(
    _ expected: String,
    of input: String,
    when policy: ThrowPolicy,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectDiagram(expected, seeds: 0..<4, sourceLocation: sourceLocation, render: Sample.text) {
      $0.results(input).throwing(when: policy)
    }
  }

  @Test func alwaysThrowsTheFirstErrorO18T20() {
    expect("p-!", of: "p-(!)-x", when: .always)
    expect("p-x-!", of: "p-x-(x!)-y", when: true)
  }

  @Test func neverLeavesAllErrorsInlineO18T20() {
    expect("p-(!)-(x!)-y|", of: "p-(!)-(x!)-y|", when: .never)
    expect("p-(!)|", of: "p-(!)|", when: false)
  }

  @Test func whenThrowsWhatItNamesO18T20() {
    let policy = ThrowPolicy.when { ($0 as? SampleError)?.name == "!2" }
    expect("p-(!)-(!*)-!", of: "p-(!)-(!*)-(!2)-x", when: policy)
  }

  @Test func aClosureThrowsWhatItNamesT20() {
    expectDiagram("p-(!)-!", seeds: 0..<4, render: Sample.text) {
      $0.results("p-(!)-(!2)").throwing(when: { ($0 as? SampleError)?.name == "!2" })
    }
  }

  @Test func anErrorIsNotThrownWhileThereIsHopeT20() {
    expect("(x!*)-y|", of: "(x!*)-y|", when: .always)
    expect("(x!*)-!", of: "(x!*)-(x!)-y", when: .always)
    expect("(x!*)-!", of: "(x!*)-(x!=)-y", when: .always)
  }

  @Test func eachErrorIsAskedAboutOnceT20() {
    let asked = Mutex<[String]>([])
    expectDiagram("(!)-(!*)-(!)-(x!2)-(x!2)|", seeds: 0..<1, render: Sample.text) {
      $0.results("(!)-(!*)-(!)-(x!2)-(x!2)|").throwing { error in
        asked.withLock { $0.append("\(error)") }
        return false
      }
    }
    #expect(asked.withLock { $0 } == ["!", "!2"])
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.throwing(when: .always) }
    expectEndsPassThrough("!", "x!2") { $0.throwing { _ in false } }
  }

  @Test func theErrorItselfIsThrown() async {
    let results = Local(["p", "!7"])
    await #expect(throws: SampleError(name: "!7")) {
      for try await _ in results.throwing(when: .always) {}
    }
  }

  @Test func aThrowLetsGoOfTheSubscriptionT20() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(SampleError(name: "bad")))
    let query = Query("a", fetch: fetch).retry(0)
    simulation.task("consumer") {
      var iterator = client.results(of: query).throwing(when: .always).makeAsyncIterator()
      while (try? await iterator.next(isolation: nil)) != nil {}
      // The iterator is still there; its subscription is not.
      let observers = client.diagnostics().map(\.observerCount)
      withExtendedLifetime(iterator) {}
      #expect(observers == [0])
    }
    simulation.settle()
    #expect(fetch.callCount == 1)
    #expect(simulation.isIdle)
  }
}
