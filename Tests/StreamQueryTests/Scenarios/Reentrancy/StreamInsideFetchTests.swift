import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

/// Fetches that look at their own key by a stream, which shows nothing new before they end.
struct StreamInsideFetchTests {
  let simulation = Simulation(seed: 29)

  enum Means: String, CaseIterable {
    case stream, results, handle, joint, list, operators
  }

  /// Looks at the fetch's own key until there is data.
  private static func look(_ means: Means, _ client: QueryClient) async -> Int {
    let query = Query<Int>("n") { 1 }
    switch means {
    case .stream:
      for await result in client.stream(query) { if let data = result.data { return data } }
    case .results:
      for await result in client.results(of: query) { if let data = result.data { return data } }
    case .handle:
      let handle = client.observer(of: query)
      for await result in handle.results { if let data = result.data { return data } }
    case .joint:
      let other = Query<Int>("other") { 2 }
      let both = combineLatest(client.results(of: query), client.results(of: other))
      for await (result, _) in both { if let data = result.data { return data } }
    case .list:
      for await results in client.stream(all: [query]) {
        if let data = results.first?.data { return data }
      }
    case .operators:
      // An operator on top of it.
      let streams = client.stream(query).removeDuplicates().values()
      for await data in streams { return data }
    }
    return -1
  }

  @Test(arguments: Means.allCases)
  func aStreamOfTheFetchsOwnKeyEndsInsteadOfWaiting(_ means: Means) throws {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let query = Query<Int>("n") { (context: FetchContext) in
      await Self.look(means, context.client) + 10
    }
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 9)
    expectEqual(misuses.all, [.streamInsideFetch(key: "[\"n\"]")])
    simulation.advance(by: .minutes(10))
    expectEqual(simulation.leakReport(), [])
  }

  @Test func firstValueThrows() {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let query = Query<Int>("n") { (context: FetchContext) in
      do {
        return try await context.client.stream(Query<Int>("n") { 1 }).firstValue()
      } catch is CancellationError {
        throw Boom(3)
      }
    }
    #expect(throws: Boom(3)) { try simulation.run { try await client.fetch(query) } }
    expectEqual(misuses.count, 1)
  }

  @Test func itShowsWhatThereIsFirst() throws {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let query = Query<Int>("n") { (context: FetchContext) in
      try await context.client.stream(Query<Int>("n") { 1 }).firstValue() + 1
    }
    client.setData(4, for: QueryKey<Int>("n"))
    simulation.advance(by: .seconds(1))
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 5)
    expectEqual(misuses.count, 0)
  }

  // Others than the fetch wait for news of it as ever.
  @Test func aTaskOfItsOwnAndAnotherKeyMayBeWaitedFor() throws {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let executor = simulation.executor
    let seen = Notes<Int>()
    let query = Query<Int>("n") { (context: FetchContext) in
      let client = context.client
      Task(executorPreference: executor) {
        seen.add(try await client.stream(Query<Int>("n") { 1 }).firstValue())
      }
      let other = Query<Int>("other") {
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
        return 20
      }
      return try await client.stream(other).firstValue() + 1
    }
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 21)
    expectEqual(seen.all, [21])
    expectEqual(misuses.count, 0)
  }

  @Test func theSameKeyOfAnotherClientMayBeWaitedFor() throws {
    let misuses = Notes<QueryMisuse>()
    let one = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let two = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let peer = Peer(two)
    let other = Query<Int>("n") {
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      return 20
    }
    let query = Query<Int>("n") { _ in try await peer.client.stream(other).firstValue() + 1 }
    let value = try simulation.run { try await one.fetch(query) }
    expectEqual(value, 21)
    expectEqual(misuses.count, 0)
    withExtendedLifetime(two) {}
  }
}
