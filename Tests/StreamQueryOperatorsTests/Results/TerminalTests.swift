@testable import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct TerminalTests {
  @Test func firstValueSkipsWhatHasNoData() async throws {
    let value = try await Local(["p", "p*", "!*", "s~", "x*", "y"]).firstValue()
    expectEqual(value, "x")
  }

  @Test func firstValueTakesDataBesideAnError() async throws {
    try await expectEqual(Local(["x!"]).firstValue(), "x")
  }

  @Test func firstValueThrowsTheErrorOfALoadThatFailed() async {
    await #expect(throws: SampleError(name: "!")) { try await Local(["p", "!", "x"]).firstValue() }
    await #expect(throws: SampleError(name: "!")) { try await Local(["p", "!="]).firstValue() }
  }

  @Test func firstValueCarriesTheFailureOfTheSequence() async {
    let results = Local(["p"], failing: MarbleFailure())
    await #expect(throws: MarbleFailure()) { try await results.firstValue() }
  }

  @Test func firstValueOfASequenceThatEndsIsACancellation() async {
    await #expect(throws: CancellationError.self) { try await Local(["p"]).firstValue() }
    await #expect(throws: CancellationError.self) { try await Local([]).firstValue() }
  }

  @Test func firstValueOfACancelledTaskThrowsAndLeaves() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query("a", fetch: ScriptedFetch<Int>(.never))
    let task = simulation.task("waiter") { () -> Void in
      await #expect(throws: CancellationError.self) {
        try await client.stream(query).firstValue()
      }
    }
    simulation.settle()
    task.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func collectStopsAfterTheLast() async throws {
    let results = try await Local(["p", "p*", "x", "y"]).collect(until: \.isSuccess)
    expectEqual(results.map(Sample.text), ["p", "p*", "x"])
  }

  @Test func collectGivesWhatThereWasAtTheEnd() async throws {
    try await expectEqual(Local(["p"]).collect(until: \.isSuccess).count, 1)
    try await expectEmpty(Local([]).collect(until: \.isSuccess))
  }

  @Test func collectCarriesTheFailureOfTheSequence() async {
    let results = Local(["p"], failing: MarbleFailure())
    await #expect(throws: MarbleFailure()) { try await results.collect(until: \.isSuccess) }
  }

  @Test func collectOfACountTakesSoMany() async throws {
    let results = Local(["p", "x", "y"])
    for (count, expected) in [(-1, 0), (0, 0), (1, 1), (2, 2), (9, 3)] {
      try await expectEqual(results.collect(count).count, expected)
    }
  }

  @Test func collectOfATaskThatIsCancelledGivesWhatThereWas() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query("a", fetch: ScriptedFetch<Int>(.never))
    let task = simulation.task("collector") {
      let results = await client.results(of: query).collect(3)
      expectEqual(results.map(\.isLoading), [true])
    }
    simulation.settle()
    task.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }
}
