import StreamQuery
import StreamQueryTesting
import Testing

/// Layers of defaults, and default fetches.
struct DefaultsTests {
  let simulation = Simulation(seed: 53)

  // T53 O24
  @Test func layersFromWeakToStrongAreClientPrefixesQueryAndObserver() {
    let client = QueryClient(simulation: simulation) {
      $0.defaults = QueryDefaults(staleTime: .seconds(1))
    }
    client.setDefaults(QueryOptions(staleTime: .after(.seconds(2))), for: "a")
    client.setDefaults(QueryOptions(staleTime: .after(.seconds(3))), for: ["a", "b"])
    // Registering again replaces what the prefix said before, in its place.
    client.setDefaults(QueryOptions(gcTime: .seconds(9)), for: "a")
    func lasting(_ query: Query<Int>, _ options: ObserverOptions? = nil) -> Duration? {
      client.setData(1, for: query.key)
      let start = simulation.now
      let recording = simulation.record(
        client.stream(query.refetchOnSubscribe(.never), options: options)
      )
      simulation.advance(by: .seconds(20))
      let flip = recording.elements.first { $0.element.isStale }
      recording.cancel()
      simulation.settle()
      return flip.map { $0.time - start }
    }
    expectEqual(lasting(Query("z") { 1 }), .seconds(1))
    // Registered again without a stale time: the client's holds.
    expectEqual(lasting(Query("a", 1) { 1 }), .seconds(1))
    expectEqual(lasting(Query("a", "b", 1) { 1 }), .seconds(3))
    expectEqual(lasting(Query("a", "b", 2) { 1 }.staleTime(.seconds(4))), .seconds(4))
    expectEqual(
      lasting(
        Query("a", "b", 3) { 1 }.staleTime(.seconds(4)),
        ObserverOptions(staleTime: .seconds(5))
      ),
      .seconds(5)
    )
    expectEqual(client.defaultOptions(for: "a").gcTime, .seconds(9))
  }

  // T53
  @Test func changedDefaultsHoldForWhatIsAskedForLater() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1))
    let first = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    client.setDefaults(QueryDefaults(staleTime: .hours(1)))
    let second = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    expectEqual(first.values.last?.isStale, true)
    expectEqual(second.values.map(\.isStale), [false])
  }

  // T02 T53
  @Test func aDefaultFetchServesQueriesWithoutOne() throws {
    let client = QueryClient(simulation: simulation) {
      $0.defaults = QueryDefaults(fetch: { context in "client \(context.key)" })
    }
    client.setDefaults(QueryOptions(), for: "n", fetch: { _ in 7 })
    let number = try simulation.run { try await client.fetch(Query<Int>(key: ["n", 1])) }
    expectEqual(number, 7)
    let text = try simulation.run { try await client.fetch(Query<String>(key: ["t"])) }
    expectEqual(text, "client [\"t\"]")
    let recording = simulation.record(client.stream(Query<Int>(key: ["n", 2])))
    simulation.settle()
    #expect(recording.summaries.last == .success(7))
  }

  // T02
  @Test func aDefaultFetchOfAnotherTypeIsATypedError() {
    let client = QueryClient(simulation: simulation)
    client.setDefaults(QueryOptions(), for: "n", fetch: { _ in "seven" })
    #expect(
      throws: QueryError.unexpectedType(
        key: "[\"n\"]",
        expected: "Swift.Int",
        actual: "Swift.String"
      )
    ) {
      try simulation.run { try await client.fetch(Query<Int>(key: "n")) }
    }
    expect(simulation.isIdle)
  }
}

// A value type that is itself a protocol's.
private protocol Shape: Sendable {}
private struct Square: Shape {}

struct ProtocolValueTests {
  @Test func aCommonFetchReturnsValuesOfAProtocolsType() async throws {
    let defaults = QueryDefaults(fetch: { _ in Square() })
    let client = QueryClient()
    client.setDefaults(defaults)
    let shape = try await client.fetch(Query<any Shape>(key: "shape"))
    #expect(shape is Square)
    let optional = try await client.fetch(Query<Square?>(key: "optional"))
    expect(optional != nil)
  }
}
