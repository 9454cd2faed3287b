import StreamQuery
import StreamQueryTesting
import Testing

/// What is done to one key leaves the entries beside, above and below it alone.
struct KeyIsolationTests {
  /// What can be done to exactly one entry.
  enum Change: String, CaseIterable, Sendable {
    case invalidate, invalidateKey, mark, refetch, reset, cancel, remove, write, update, fetch

    /// Whether the entry is fetched by it.
    var fetches: Bool { [.invalidate, .invalidateKey, .refetch, .reset, .fetch].contains(self) }

    func make(of query: Query<Int>, in client: QueryClient) async throws {
      switch self {
      case .invalidate: await client.invalidate(query)
      case .invalidateKey: await client.invalidate(query.key)
      case .mark: await client.invalidate(query, refetch: .never)
      case .refetch: await client.refetch(.key(query.key))
      case .reset: await client.reset(.key(query.key))
      case .cancel: client.cancel(.key(query.key))
      case .remove: client.remove(.key(query.key))
      case .write: client.setData(7, for: query)
      case .update: client.updateData(for: query) { $0 = 7 }
      case .fetch: _ = try await client.fetch(query)
      }
    }
  }

  // C05
  @Test(arguments: Change.allCases)
  func whatChangesOneEntryLeavesItsSiblingsUntouched(_ change: Change) throws {
    let simulation = Simulation(seed: 49)
    let client = QueryClient(simulation: simulation)
    func fetch(_ value: Int) -> ScriptedFetch<Int> {
      ScriptedFetch(.value(value, after: .milliseconds(10)))
    }
    let own = fetch(1)
    let query = Query(key: QueryKey("n", 1), fetch: own)
    // Beside it, above it, below it, and of the same parts with another type of value.
    let fetches = [fetch(2), fetch(3), fetch(4)]
    let keys: [QueryKey<Int>] = [["n", 2], "n", ["n", 1, "more"]]
    let twins = ScriptedFetch<String>(.value("twin", after: .milliseconds(10)))
    let recording = simulation.record(client.stream(query))
    let siblings = zip(keys, fetches).map { key, fetch in
      simulation.record(client.stream(Query(key: key, fetch: fetch)))
    }
    let twin = simulation.record(client.stream(Query(key: QueryKey("n", 1), fetch: twins)))
    client.setData(5, for: QueryKey<Int>("n", 3))
    simulation.advance(by: .seconds(1))
    let looks = keys.map { client.result(for: $0) }
    expectEqual(looks.map(\.data), [2, 3, 4])
    #expect(recording.summaries == [.pending(isFetching: true), .success(1)])
    let others = !QueryFilter.key(query.key)
    let events = simulation.record(client.events)
    simulation.settle()

    try simulation.run { try await change.make(of: query, in: client) }
    simulation.settle()

    // One more snapshot or none would do for the entry itself; here are those of its siblings.
    for (sibling, value) in zip(siblings, [2, 3, 4]) {
      #expect(sibling.timeline == [at(0, .pending(isFetching: true)), at(10, .success(value))])
    }
    #expect(twin.timeline == [at(0, .pending(isFetching: true)), at(10, .success("twin"))])
    let now = keys.map { client.result(for: $0) }
    expectEqual(now.map { ResultSummary($0) }, looks.map { ResultSummary($0) })
    expectEqual(now.map(\.dataUpdatedAt), looks.map(\.dataUpdatedAt))
    expectEqual(now.map(\.isStale), looks.map(\.isStale))
    // The age moves on with the clock alone.
    let passed = simulation.now - .seconds(1)
    #expect(client.diagnostics(others).map(\.age).allSatisfy { ($0 ?? .zero) >= passed })
    expectEqual(client.diagnostics(others).map(\.isInvalidated), Array(repeating: false, count: 5))
    expectEqual(client.diagnostics(others).map(\.dataUpdateCount), [1, 1, 1, 1, 1])
    expectEqual(fetches.map(\.callCount), [1, 1, 1])
    expectEqual(twins.callCount, 1)
    expectEqual(own.callCount, change.fetches ? 2 : 1)
    // Every event is of the one key, and of its type.
    #expect(
      events.values.allSatisfy { $0.key == ["n", 1] && $0.valueTypeName == "Swift.Int" }
    )
    expectEqual(events.values.isEmpty, change == .cancel)
    for sibling in siblings + [recording] { sibling.cancel() }
    twin.cancel()
    events.cancel()
    client.shutDown()
  }
}
