import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

@MainActor
struct ObservedFetcherTests {
  private struct Missing: Error {}

  /// Finds what was looked for when it fetched.
  private final class Search: QueryFetcher {
    var text: String
    private(set) var log: [String] = []
    private let pause = ScriptedFetch(.value((), after: .milliseconds(10)))

    init(_ text: String) { self.text = text }

    func fetch() async throws -> String {
      log.append(text)
      let found = text
      try await pause()
      if found.isEmpty { throw Missing() }
      return found
    }
  }

  /// Fetches anew whenever it fetches.
  private final class Restless: QueryFetcher {
    let waits: Bool
    var text = "a"
    private(set) var log: [String] = []
    weak var observed: ObservedFetcher<Restless>?

    init(waits: Bool) { self.waits = waits }

    func fetch() async throws -> String {
      log.append(text)
      let found = text
      // Without an end, the test would not end either.
      guard log.count < 50 else { return found }
      if waits { _ = await observed?.refetch { $0.text += "a" } } else { fetchAnew() }
      return found
    }

    private func fetchAnew() { observed?.refetch { $0.text += "a" } }
  }

  private func run(_ body: @MainActor (Simulation, QueryClient) -> Void) {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { body($0, QueryClient(simulation: $0)) }
    }
  }

  @Test("Q08, Q11: properties are read at the fetch; one call changes and fetches")
  func refetchChangesAndFetches() {
    run { simulation, client in
      let search = ObservedFetcher("search", fetcher: Search("bulbasaur"), client: client)
      let screen = Screen { search.query.data ?? "-" }
      simulation.advance(by: .seconds(1))
      search.refetch { $0.text = "pikachu" }
      expectEqual(search.fetcher.text, "pikachu")
      simulation.advance(by: .seconds(1))
      var found: String?
      Task { found = await search.refetch { $0.text = "mew" }.data }
      simulation.advance(by: .seconds(1))
      expectEqual(found, "mew")
      expectEqual(screen.frames, ["-", "bulbasaur", "pikachu", "mew"])
      expectEqual(search.fetcher.log, ["bulbasaur", "pikachu", "mew"])
    }
  }

  @Test("Q11: what runs with the former input does not land, not even the first fetch")
  func theFormerInputDoesNotLand() {
    run { simulation, client in
      let search = ObservedFetcher("search", fetcher: Search("a"), client: client)
      let screen = Screen { search.query.data ?? "-" }
      simulation.advance(by: .milliseconds(5))
      search.refetch { $0.text = "b" }
      simulation.advance(by: .milliseconds(5))
      search.refetch { $0.text = "c" }
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["-", "c"])
      expectEqual(search.fetcher.log, ["a", "b", "c"])
    }
  }

  @Test("Q11: who waits for a first fetch with the former input waits for the new one instead")
  func whoWaitsMovesAlong() {
    run { simulation, client in
      let search = ObservedFetcher("search", fetcher: Search("a"), client: client)
      let log = FetchLog()
      let query = search.query.query
      Task { log.add((try? await client.fetch(query)) ?? "cancelled") }
      Task { log.add(await search.refetch { $0.text = "b" }.data ?? "nothing") }
      simulation.advance(by: .milliseconds(5))
      search.refetch { $0.text = "c" }
      simulation.advance(by: .seconds(1))
      expectEqual(log.lines, ["c", "c"])
    }
  }

  @Test("Q11: no former input lands, however often the input changes")
  func noFormerInputLands() {
    run { simulation, client in
      let search = ObservedFetcher("search", fetcher: Search("a"), client: client)
      simulation.advance(by: .seconds(1))
      let screen = Screen { search.query.data ?? "-" }
      for text in ["b", "c", "d", "e", "f", "g"] {
        search.refetch { $0.text = text }
        simulation.advance(by: .milliseconds(5))
      }
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["a", "g"])
      expectEqual(search.fetcher.log, ["a", "b", "c", "d", "e", "f", "g"])
    }
  }

  @Test(
    "Q11: a fetcher that fetches anew whenever it fetches has an end",
    arguments: [false, true]
  )
  func replacingItself(waits: Bool) {
    run { simulation, client in
      let fetcher = Restless(waits: waits)
      let search = ObservedFetcher("search", fetcher: fetcher, client: client)
      fetcher.observed = search
      simulation.advance(by: .seconds(1))
      expectEqual(fetcher.log, ["a", "aa", "aaa", "aaaa"])
      expectEqual(search.query.data, "aaaa")
      expectEqual(search.query.isFetching, false)
    }
  }

  @Test("Q09: a query over a fetcher has all options, and its failures are in the result")
  func queriesHaveOptions() {
    run { simulation, client in
      let search = ObservedFetcher(fetcher: Search(""), client: client) {
        Query("search", 1, fetcher: $0).retry(0).placeholder("…")
      }
      expectEqual(search.query.data, "…")
      simulation.advance(by: .seconds(1))
      #expect(search.query.error is Missing)
    }
  }

  @Test("Q10, Q12: closures are fetchers, and one fetcher may serve several queries")
  func closuresAndSharing() {
    run { simulation, client in
      let closure = ObservedFetcher("n", fetcher: ClosureFetcher { 7 }, client: client)
      let shared = Search("x")
      let observed = [1, 2].map {
        ObservedQuery(Query("shared", $0, fetcher: shared), client: client)
      }
      simulation.advance(by: .seconds(1))
      expectEqual(closure.query.data, 7)
      expect(observed.map(\.data) == ["x", "x"] && shared.log == ["x", "x"])
    }
  }

  @Test("a fetcher without a client waits for its start")
  func startingLater() {
    run { simulation, client in
      let search = ObservedFetcher("search", fetcher: Search("a"))
      search.refetch { $0.text = "b" }
      simulation.advance(by: .seconds(1))
      expectEqual(search.fetcher.log, [])
      search.query.start(using: client)
      simulation.advance(by: .seconds(1))
      expectEqual(search.query.data, "b")
    }
  }
}
