import StreamQuery
import StreamQueryTesting
import Testing

/// How long data is kept that was written, or found by callers.
struct CallerRetentionTests {
  private enum Label: QueryMetaKey { static let defaultValue = "none" }

  /// A way to write to a query.
  enum Write: CaseIterable {
    case setData, updateData

    func callAsFunction(_ value: Int, _ query: Query<Int>, _ client: QueryClient) {
      switch self {
      case .setData: client.setData(value, for: query)
      case .updateData: client.updateData(for: query) { $0 = value }
      }
    }
  }

  let simulation = Simulation(seed: 62)
  let client: QueryClient
  let key = QueryKey<Int>("n")

  init() {
    client = QueryClient(simulation: simulation)
  }

  private var labels: [String] { labels(client) }

  private func labels(_ client: QueryClient) -> [String] {
    client.diagnostics(.key(key)).map { $0.meta[Label.self] }
  }

  private func seeded(_ time: Duration) -> Query<Int> {
    Query<Int>(key: key).gcTime(time).meta(Label.self, "seeded")
  }

  private func fetched(_ time: Duration) -> Query<Int> {
    Query(key: key, fetch: ScriptedFetch(.value(1), .value(2)))
      .gcTime(time).staleTime(.hours(9)).meta(Label.self, "fetched")
  }

  @Test func aCallerThatJoinsAFetchKeepsItsDataForLonger() throws {
    let (client, fetch) = (client, ScriptedFetch<Int>(.value(1, after: .seconds(1))))
    let query = Query(key: key, fetch: fetch)
    let first = simulation.task { try await client.fetch(query.gcTime(.minutes(1))) }
    simulation.settle()
    try expectEqual(simulation.run { try await client.fetch(query.gcTime(.hours(24))) }, 1)
    try expectEqual(simulation.run { try await first.value }, 1)
    expectEqual(fetch.callCount, 1)
    simulation.advance(by: .hours(24) - .seconds(1))
    expectEqual(client.data(for: key), 1)
    simulation.advance(by: .seconds(1))
    expectNil(client.data(for: key))
  }

  @Test(arguments: Write.allCases) func dataIsKeptAsTheQuerySaysThatItIsWrittenTo(write: Write) {
    write(1, seeded(.hours(24)), client)
    expectEqual(labels, ["seeded"])
    simulation.advance(by: .hours(24) - .seconds(1))
    expectEqual(client.data(for: key), 1)
    simulation.advance(by: .seconds(1))
    expectNil(client.data(for: key))
    // The next entry of this type begins as any other.
    client.setData(1, for: "other")
    expectEqual(client.diagnostics("other").map(\.meta.isEmpty), [true])
    simulation.advance(by: .minutes(5))
    expectEmpty(client.diagnostics())
  }

  @Test(arguments: Write.allCases) func aShorterTimeIsKeptToAsWell(write: Write) {
    write(1, seeded(.seconds(1)), client)
    simulation.advance(by: .seconds(1))
    expectNil(client.data(for: key))
  }

  @Test(arguments: Write.allCases) func anEntryOfAKeyAloneTakesOverWhatTheQuerySays(write: Write) {
    client.setData(0, for: key)
    write(1, seeded(.hours(24)), client)
    expectEqual(labels, ["seeded"])
    simulation.advance(by: .hours(24) - .seconds(1))
    expectEqual(client.data(for: key), 1)
    simulation.advance(by: .seconds(1))
    expectEmpty(client.diagnostics())
  }

  @Test(arguments: Write.allCases)
  func anEntryThatCanFetchIsKeptForLongerAndNothingElseChanges(write: Write) throws {
    let query = fetched(.minutes(1))
    _ = try simulation.run { try await client.fetch(query) }
    write(7, seeded(.hours(24)), client)
    write(8, seeded(.seconds(1)), client)
    expectEqual(labels, ["fetched"])
    simulation.advance(by: .hours(24) - .seconds(1))
    expectEqual(client.data(for: key), 8)
    simulation.advance(by: .seconds(1))
    expectEmpty(client.diagnostics())
  }

  /// A call that finds data.
  enum Hit: CaseIterable {
    case fetch, ensure, prefetch

    func callAsFunction(_ query: Query<Int>, _ client: QueryClient) async throws -> Int? {
      switch self {
      case .fetch: return try await client.fetch(query)
      case .ensure: return try await client.ensure(query)
      case .prefetch:
        await client.prefetch(query)
        return client.data(for: query.key)
      }
    }
  }

  // X01: the longest time that was asked for, from when nobody wanted it any more.
  @Test(arguments: Hit.allCases, [false, true])
  func aCallThatFindsDataExtendsItsRetentionAndChangesNothingElse(
    hit: Hit,
    isServer: Bool
  ) throws {
    let client =
      isServer
      ? QueryClient(simulation: simulation, configuration: .server) : self.client
    let first = fetched(.minutes(5))
    _ = try simulation.run { try await client.fetch(first) }
    simulation.advance(by: .minutes(4))
    let other = fetched(.hours(1)).meta(Label.self, "other")
    try expectEqual(simulation.run { try await hit(other, client) }, 1)
    try expectEqual(simulation.run { try await hit(first, client) }, 1)
    expectEqual(labels(client), ["fetched"])
    simulation.advance(by: .minutes(56) - .seconds(1))
    expectEqual(client.data(for: key), 1)
    simulation.advance(by: .seconds(1))
    expectNil(client.data(for: key))
  }
}
