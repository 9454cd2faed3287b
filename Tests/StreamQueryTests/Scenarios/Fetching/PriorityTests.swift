import StreamQueryTesting
import Testing

@testable import StreamQuery

/// With which priority work runs: its caller's, or that of the most urgent one who waits for it.
struct PriorityTests {
  let simulation = Simulation(seed: 79)
  let seen = Notes<TaskPriority>()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  /// Starts a task of this world with a priority.
  private func task(_ priority: TaskPriority, _ body: @escaping @Sendable () async throws -> Void) {
    _ = Task(executorPreference: simulation.executor, priority: priority) { try await body() }
    simulation.settle()
  }

  private func query(failures: Int = 0) -> Query<Int> {
    Query("n") { [seen] (context: FetchContext) in
      seen.add(Task.currentPriority)
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      seen.add(Task.currentPriority)
      if context.attempt < failures { throw Boom(context.attempt) }
      return 1
    }
    .retry(failures) { _ in .milliseconds(10) }
  }

  private func mutation(_ name: String, failures: Int = 0) -> Mutation<String, Int> {
    Mutation<String, Int>(key: AnyQueryKey(name)) { [seen] _, context in
      seen.add(Task.currentPriority)
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      seen.add(Task.currentPriority)
      if context.attempt < failures { throw Boom(context.attempt) }
      return 1
    }
    .retry(.times(failures).backoff(.constant(.milliseconds(10))))
    .scope("lane")
  }

  @Test(arguments: [TaskPriority.background, .utility, .medium, .high])
  func everyAttemptOfAFetchHasItsCallersPriority(priority: TaskPriority) {
    let (client, query) = (client, query(failures: 1))
    task(priority) { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [priority, priority, priority, priority])
  }

  @Test(arguments: [TaskPriority.background, .utility, .medium, .high])
  func everyAttemptOfARunHasItsCallersPriority(priority: TaskPriority) {
    let (client, mutation) = (client, mutation("m", failures: 1))
    task(priority) { try await client.mutate(mutation, with: "") }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [priority, priority, priority, priority])
  }

  @Test(arguments: ["refetch", "invalidate", "reset"])
  func whoWaitsForAFetchThatIsReplacedKeepsTheNextOneUrgent(by means: String) {
    let (client, query) = (client, query())
    client.setData(0, for: query.key)
    let held = Notes<any Sendable>()
    task(.high) { try await client.fetch(query) }
    task(.background) { held.add(client.stream(query)) }
    task(.background) {
      switch means {
      case "refetch": await client.refetch(query)
      case "invalidate": await client.invalidate(query)
      default: await client.reset(query)
      }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.high, .high, .high])
  }

  @Test func aFetchThatFollowsAFirstLoadIsAsUrgentAsWhoWaitsForIt() {
    let (client, query) = (client, query())
    let held = Notes<any Sendable>()
    task(.background) { held.add(client.stream(query)) }
    task(.high) { await client.invalidate(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.background, .high, .high, .high])
  }

  @Test(arguments: ["fetch", "ensure", "prefetch", "stream", "observer", "results", "list"])
  func whoJoinsAFetchLendsItAHigherPriority(by means: String) {
    let (client, query) = (client, query(failures: 1))
    task(.background) { try await client.fetch(query) }
    let held = Notes<any Sendable>()
    task(.high) {
      switch means {
      case "fetch": _ = try await client.fetch(query)
      case "ensure": _ = try await client.ensure(query)
      case "prefetch": await client.prefetch(query)
      case "stream": held.add(client.stream(query))
      case "observer": held.add(client.observer(of: query))
      case "results": for await result in client.results(of: query) where result.isSuccess { break }
      default: held.add(client.stream(all: [query]))
      }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.background, .high, .high, .high])
  }

  @Test func whoJoinsAFetchWithoutWaitingLendsItItsPriority() {
    let (client, query) = (client, query(failures: 1))
    let observer = client.observer(of: query.enabled(false))
    task(.background) { try await client.fetch(query) }
    task(.high) { observer.startRefetch(superseding: false) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.background, .high, .high, .high])
    withExtendedLifetime(observer) {}
  }

  @Test func whoJoinsAFetchThatWaitsForItsRetryLendsThatItsPriority() {
    let (client, query) = (client, query(failures: 1))
    task(.background) { try await client.fetch(query) }
    simulation.advance(by: .milliseconds(15))
    task(.high) { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.background, .background, .high, .high])
  }

  @Test func whoJoinsWithALowerPriorityChangesNothing() {
    let (client, query) = (client, query(failures: 1))
    task(.high) { try await client.fetch(query) }
    task(.background) { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.high, .high, .high, .high])
  }

  // Those before it are what it waits for.
  @Test func aRunLendsItsPriorityToThoseBeforeItInItsLane() {
    let client = client
    let mutations = ["a", "b", "c"].map { mutation($0) }
    task(.background) { try await client.mutate(mutations[0], with: "") }
    task(.utility) { try await client.mutate(mutations[1], with: "") }
    task(.high) { try await client.mutate(mutations[2], with: "") }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.background, .high, .high, .high, .high, .high])
  }

  // Older systems have no call for it.
  @Test func whoWaitsForATaskLendsItAPriorityOnEverySystem() {
    let seen = seen
    let clock = simulation.clock
    let work = Task<Void, any Error>(
      executorPreference: simulation.executor,
      priority: .background
    ) {
      seen.add(Task.currentPriority)
      try? await clock.sleep(for: .milliseconds(10))
      seen.add(Task.currentPriority)
    }
    simulation.settle()
    Escalation.lendByWaiting(WorkPriority(.high), to: work, on: simulation.executor)
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [.background, .high])
  }

  @Test func prioritiesDoNotChangeTheOrderOfThings() {
    func hash() -> UInt64 {
      let simulation = Simulation(seed: 83)
      let client = QueryClient(simulation: simulation)
      for (index, priority) in [TaskPriority.background, .high, .utility, .high].enumerated() {
        let query = Query("n", index % 2) { (context: FetchContext) in
          try await Scheduling.current.clock.sleep(for: .milliseconds(10))
          if context.attempt < 1 { throw Boom() }
          return 1
        }
        .retry(1) { _ in .milliseconds(10) }
        _ = Task(executorPreference: simulation.executor, priority: priority) {
          try await client.fetch(query)
        }
        simulation.advance(by: .milliseconds(3))
      }
      simulation.advance(by: .seconds(1))
      return simulation.scheduleHash
    }
    expectEqual(hash(), hash())
  }
}
