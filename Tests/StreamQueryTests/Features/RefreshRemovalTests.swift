import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Removals by code that a refresh calls while it begins a fetch: what another thread might do then, this code
/// does.
struct RefreshRemovalTests {
  private let simulation = Simulation(seed: 67)
  private let begun = Notes<String>()

  /// Two queries that are stale; the next question for their options clears the client, if that is armed.
  private func staleQueries(_ client: QueryClient, _ isArmed: Dial<Bool>) -> [Query<String>] {
    let queries = ["a", "b"].map { [begun] name in
      Query<String>(name) { _ in
        begun.add(name)
        try await Scheduling.current.clock.sleep(for: .seconds(1))
        return name
      }
      .staleTime(.seconds(10))
      .gcTime(.hours(1))
      .enabled { [client, isArmed] _ in
        if isArmed.value {
          isArmed.value = false
          client.clear()
        }
        return true
      }
    }
    for query in queries { simulation.run { [client] in await client.prefetch(query) } }
    simulation.advance(by: .seconds(1_000))
    return queries
  }

  /// The refresh asks for the options of all entries before it begins the first fetch.
  @Test(arguments: [false, true])
  func whatIsRemovedWhileARefreshSeeksItIsNotFetched(isListed: Bool) {
    let client = QueryClient(simulation: simulation)
    let isArmed = Dial(false)
    let queries = staleQueries(client, isArmed)
    expectEqual(begun.count, 2)
    isArmed.value = true
    let refresh = simulation.task { [client] () async -> QueryRefresh in
      if isListed {
        return await client.refetchStale(queries.map { AnyQuery($0) }, within: .seconds(60))
      }
      return await client.refetchStale(within: .seconds(60))
    }
    simulation.advance(by: .seconds(10))
    expect(!isArmed.value)
    expectEqual(begun.count, 2)
    for query in queries { expectNil(client.data(for: query)) }
    expectEqual(simulation.run { await refresh.value }.remaining.count, 2)
    client.shutDown()
  }

  @Test(arguments: [false, true])
  func whatIsRemovedWhileItsFetchIsPreparedIsNotFetched(isListed: Bool) {
    let client = QueryClient(simulation: simulation) { $0.maxConcurrentFetches = 1 }
    let isArmed = Dial(false)
    let queries = staleQueries(client, isArmed)
    let refresh = simulation.task { [client] () async -> QueryRefresh in
      if isListed {
        return await client.refetchStale(queries.map { AnyQuery($0) }, within: .seconds(60))
      }
      return await client.refetchStale(within: .seconds(60))
    }
    simulation.advance(by: .milliseconds(500))
    expectEqual(begun.count, 3)
    isArmed.value = true
    simulation.advance(by: .seconds(10))
    expect(!isArmed.value)
    expectEqual(begun.count, 3)
    for query in queries { expectNil(client.data(for: query)) }
    expectEmpty(simulation.run { await refresh.value }.failed)
    client.shutDown()
  }
}
