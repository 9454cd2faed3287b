import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// The terms of a hit are those of the resolved query, without resolving it.
struct HitTermsTests {
  typealias Change = @Sendable (inout QueryOptions) -> Void

  private static let changes: [Change] = [
    { _ in },
    { $0.staleTime = .after(.seconds(5)) },
    { $0.staleTime = .static },
    { $0.staleTime = .infinite },
    { $0.staleTime = .dynamic { _ in .after(.seconds(1)) } },
    { $0.enabled = .fixed(false) },
    { $0.enabled = .when { _ in true } },
    { $0.refetchInterval = .every(.seconds(3)) },
    { $0.refetchInterval = .dynamic { _ in nil } },
    { $0.timeout = .seconds(2) },
    { $0.refreshAhead = .fraction(0.5) },
    { $0.refreshAhead = .off },
    { $0.gcTime = .seconds(7) },
    { $0.gcTime = .seconds(-1) },
    { $0.refetchOnSubscribe = .dynamic { _ in .always } },
    { $0.refetchOnReconnect = .dynamic { _ in .ifStale } },
  ]

  @Test func theyAreThoseOfTheResolvedQueryWhateverIsSetWhere() {
    let store = MemoryStore()
    for isKept in [false, true] {
      for own in Self.changes {
        for common in Self.changes {
          var defaults = QueryDefaults()
          common(&defaults.options)
          let table = DefaultsTable(client: defaults, failureInvalidates: true)
          var query = Query<Int>("n") { 7 }.options(own)
          if isKept { query = query.persisted(Persistence(in: store)) }
          let resolved = ResolvedQuery(query.definition, for: AnyQueryKey("n"), defaults: table)
          let terms = HitTerms.of(query.definition, table)
          // What is kept is left to the resolved query, as there may be nothing that keeps it.
          if isKept { expectNil(terms) } else { expectEqual(terms, HitTerms(resolved)) }
        }
      }
    }
  }

  @Test func defaultsOfAPrefixAreLeftToTheResolvedQuery() {
    let prefix = DefaultsTable.Prefix(key: AnyQueryKey("n"), options: QueryOptions(), fetch: nil)
    let table = DefaultsTable(client: QueryDefaults(), prefixes: [prefix], failureInvalidates: true)
    expectNil(HitTerms.of(Query<Int>("n") { 7 }.definition, table))
  }

  /// A query that is made at each call, on a client that many threads read.
  @Test(arguments: [true, false]) func aHitOfAQueryThatIsMadeAtTheCallFollowsItsOwnTerms(
    isKept: Bool
  )
    throws
  {
    let simulation = Simulation(seed: 3)
    let client = QueryClient(simulation: simulation, configuration: .server)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2), .value(3))
    let kept = Query<Int>("n", fetch: fetch).staleTime(.seconds(10))
    func query(_ seconds: Int) -> Query<Int> {
      isKept && seconds == 10 ? kept : Query<Int>("n", fetch: fetch).staleTime(.seconds(seconds))
    }
    func ask(_ seconds: Int) throws -> Int {
      let query = query(seconds)
      return try simulation.run { try await client.fetch(query) }
    }
    for _ in 0..<3 { try expectEqual(ask(10), 1) }
    simulation.advance(by: .seconds(6))
    try expectEqual(ask(10), 1)
    // The entry has a query for which it is fresh, and this one finds it stale.
    try expectEqual(ask(5), 2)
    expectEqual(fetch.callCount, 2)
    client.shutDown()
  }
}
