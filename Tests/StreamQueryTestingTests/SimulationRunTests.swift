import StreamQuery
import StreamQueryTesting
import Testing

struct SimulationRunTests {
  private struct Refused: Error, Equatable {}

  /// A simulation whose failures stay in its list: these tests provoke them.
  private func quiet(jobLimit: Int = 1_000_000) -> Simulation {
    Simulation(jobLimit: jobLimit, onFailure: { _ in })
  }

  @Test func runReturnsTheValueAndMovesVirtualTime() {
    let simulation = Simulation()
    let value = simulation.run {
      try? await simulation.clock.sleep(for: .seconds(3600))
      return 42
    }
    expectEqual(value, 42)
    expectEqual(simulation.now, .seconds(3600))
    expect(simulation.isIdle)
  }

  @Test func runThrowsTheOperationsOwnErrorType() {
    let simulation = Simulation()
    let result = Result { () throws(Refused) in
      try simulation.run { () async throws(Refused) -> Int in throw Refused() }
    }
    expectEqual(result, .failure(Refused()))
  }

  @Test func runSetsTheScheduling() {
    let simulation = Simulation()
    let isSet = simulation.run {
      Scheduling.current.clock is SimulationClock && Scheduling.current.executor != nil
    }
    expect(isSet)
    expectNil(Scheduling.current.executor)
  }

  @Test func runOfSomethingThatNeverEndsFailsAndCancels() {
    let simulation = quiet()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let last = simulation.run { () async -> Int? in
      for await number in stream { return number }
      return nil
    }
    expectNil(last)
    expectEqual(simulation.failures.count, 1)
    #expect(simulation.failures[0].contains("would wait for ever: nothing is ready"))
    continuation.finish()
  }

  @Test func runThrowsWhenCancellationIsIgnored() {
    let simulation = quiet()
    let fetch = ScriptedFetch<Int>(.suspended(ignoringCancellation: true))
    #expect(throws: SimulationError.self) { try simulation.run { try await fetch() } }
    fetch.release(returning: 1)
    simulation.settle()
  }

  @Test func runOfAWaitWithEndlessTimersGivesUp() {
    let simulation = quiet(jobLimit: 100)
    let timer = simulation.task {
      while !Task.isCancelled { try? await simulation.clock.sleep(for: .seconds(10)) }
    }
    let fetch = ScriptedFetch<Int>(.never)
    #expect(throws: CancellationError.self) { try simulation.run { try await fetch() } }
    expectEqual(simulation.failures.count, 1)
    timer.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func anEndlessLoopAtOneInstantFailsInsteadOfHanging() {
    let simulation = quiet(jobLimit: 50)
    let spinning = simulation.task {
      while !Task.isCancelled { try? await simulation.clock.sleep(for: .zero) }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(simulation.failures.count, 1)
    #expect(simulation.failures[0].contains("More than 50 jobs"))
    expectEqual(simulation.now, .zero)
    spinning.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func drivingFromInsideAJobIsRefused() {
    let simulation = quiet()
    simulation.task { simulation.advance(by: .seconds(1)) }
    simulation.settle()
    expectEqual(simulation.now, .zero)
    expectEqual(simulation.failures.count, 1)
    #expect(simulation.failures[0].contains("from inside one of its own jobs"))
  }

  @Test func failuresBecomeIssuesOfTheTest() {
    withKnownIssue {
      let simulation = Simulation(jobLimit: 10)
      let spinning = simulation.task {
        while !Task.isCancelled { try? await simulation.clock.sleep(for: .zero) }
      }
      simulation.settle()
      spinning.cancel()
      simulation.settle()
    }
  }
}
