import StreamQuery
import StreamQueryTesting
import Testing

/// Running the input of a failed run again.
struct MutationRetryTests {
  private struct Broken: Error {}

  let simulation = Simulation(seed: 7)
  let log = Notes<Int>()
  let isBroken = Dial(true)

  private var save: Mutation<Int, Int> {
    let (log, isBroken, clock) = (log, isBroken, simulation.clock)
    return Mutation("save") { input in
      log.add(input)
      try await clock.sleep(for: .milliseconds(10))
      if isBroken.value { throw Broken() }
      return input + 100
    }
  }

  @Test func theInputOfTheFailedRunIsSentAgainAsAnotherRun() {
    let client = QueryClient(simulation: simulation)
    let handle = client.observer(of: save)
    handle.start(with: 1)
    simulation.advance(by: .seconds(1))
    let first = handle.run.idempotencyKey
    expect(handle.run.isError)
    isBroken.value = false
    expect(handle.retry())
    expect(handle.run.isPending && handle.run.input == 1 && handle.run.idempotencyKey != first)
    simulation.advance(by: .seconds(1))
    expect(handle.run.output == 101 && log.all == [1, 1])
  }

  @Test func nothingRunsUnlessTheRunThatIsShownHasFailed() {
    let client = QueryClient(simulation: simulation)
    let handle = client.observer(of: save)
    expect(!handle.retry())
    handle.start(with: 1)
    expect(!handle.retry())
    simulation.advance(by: .seconds(1))
    expect(handle.retry())
    // A button that is tapped twice.
    expect(!handle.retry())
    isBroken.value = false
    simulation.advance(by: .seconds(1))
    expect(handle.run.isSuccess && !handle.retry())
    expectEqual(log.all, [1, 1])
  }

  /// The closure stands for another thread, which calls between the look at the run and the next run's start.
  @Test func aCallBesideAnotherOneDoesNothing() {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<Bool>()
    let handles = Dial<MutationObserver<Int, Int>?>(nil)
    let mutation = save.optimistic { _, _ in
      guard let handle = handles.value, calls.count < 1 else { return }
      calls.add(true)
      calls.add(handle.retry())
    }
    let handle = client.observer(of: mutation)
    handle.start(with: 1)
    simulation.advance(by: .seconds(1))
    handles.value = handle
    expect(handle.retry())
    expectEqual(calls.all, [true, false])
    handles.value = nil
    simulation.advance(by: .seconds(1))
    expectEqual(log.all, [1, 1])
    // Later calls are not concerned.
    expect(handle.retry())
    simulation.advance(by: .seconds(1))
    expectEqual(log.all, [1, 1, 1])
  }

  @Test func aRunThatWasResetOrCancelledIsNotRunAgain() {
    let client = QueryClient(simulation: simulation)
    let handle = client.observer(of: save)
    handle.start(with: 1)
    simulation.advance(by: .seconds(1))
    handle.reset()
    expect(!handle.retry())
    handle.start(with: 2)
    handle.cancel()
    simulation.advance(by: .seconds(1))
    expect(!handle.retry())
    expectEqual(log.all.filter { $0 == 1 }, [1])
  }

  @Test func theWorkOfTheMutationThatTookItsPlaceRuns() {
    let client = QueryClient(simulation: simulation)
    let handle = client.observer(of: save)
    handle.start(with: 1)
    simulation.advance(by: .seconds(1))
    handle.update(mutation: Mutation("save") { $0 + 1000 })
    expect(handle.retry())
    simulation.advance(by: .seconds(1))
    expectEqual(handle.run.output, 1001)
  }

  @Test func aClientThatWasShutDownRunsNothing() {
    let client = QueryClient(simulation: simulation)
    let handle = client.observer(of: save)
    handle.start(with: 1)
    simulation.advance(by: .seconds(1))
    client.shutDown()
    expect(!handle.retry())
    simulation.settle()
    expectEqual(log.all, [1])
  }
}
