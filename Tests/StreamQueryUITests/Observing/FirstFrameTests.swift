import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

/// The first frame: what `result(for:)` shows, and what every kind of observed object then shows.
@MainActor
struct FirstFrameTests {
  private struct Broken: Error {}

  private func fetch(_ values: String...) -> ScriptedFetch<String> {
    ScriptedFetch(values.map { .value($0, after: .milliseconds(30)) })
  }

  private func query(_ name: String) -> Query<String> {
    Query(key: QueryKey(name), fetch: fetch("fetched", "again")).retry(0)
  }

  private func text(_ result: QueryResult<String>) -> String {
    let data = result.data.map { result.isPlaceholderData ? "(\($0))" : $0 }
    let marks = [
      result.isError ? "!" : "", result.isFetching ? "…" : "", result.isPaused ? "‖" : "",
      result.isStale ? "~" : "", result.isEnabled ? "" : "off",
    ]
    return (data ?? "-") + marks.joined()
  }

  /// Every state that a query can be found in, and what its first frame is.
  private func table(_ client: QueryClient) -> [(query: Query<String>, frame: String)] {
    let failing = Query(
      key: QueryKey<String>("failed"),
      fetch: ScriptedFetch(.failure(Broken()), .value("fetched"))
    ).retry(0)
    for name in ["stale", "fresh", "kept", "asked", "told", "off", "static"] {
      client.setData("cached", for: query(name))
    }
    let minute = Duration.seconds(60)
    return [
      (query("missing"), "-…~"),
      (query("disabled").enabled(false), "-off"),
      (query("placeholder").placeholder("stand-in"), "(stand-in)…~"),
      (query("placeholder off").placeholder("stand-in").enabled(false), "(stand-in)off"),
      (query("initial").initialData("initial"), "initial…~"),
      (query("initial fresh").initialData("initial").staleTime(minute), "initial"),
      (query("both").initialData("initial").placeholder("stand-in").staleTime(minute), "initial"),
      (query("enabling").initialData("initial").enabled { $0.data != nil }, "initial…~"),
      (query("stale").initialData("initial"), "cached…~"),
      (query("fresh").staleTime(minute), "cached"),
      (query("kept").refetchOnSubscribe(.never), "cached~"),
      (query("asked").staleTime(minute).refetchOnAppear(.when { $0.data != nil }), "cached…"),
      (query("told").refetchOnAppear(.dynamic { $0.isActive ? .always : .never }), "cached~"),
      (query("off").enabled(false), "cachedoff"),
      (query("static").staleTime(.static).refetchOnAppear(.always), "cached"),
      (failing, "-…~"),
      (failing.retryOnSubscribe(false), "-!~"),
    ]
  }

  @Test("V12, V04: a look, a query, a list and a page show the same in their first frame")
  func firstFrames() {
    for kind in 0..<4 {
      Simulation.onMainActor { simulation in
        let client = QueryClient(simulation: simulation)
        let table = table(client)
        Task { await client.prefetch(table[15].query) }
        simulation.settle()
        for (query, expected) in table {
          let look = client.result(for: query)
          expectEqual(text(look), expected, "\(query.key)")
          let shown: QueryResult<String>?
          switch kind {
          case 0: shown = ObservedQuery(query, client: client).result
          case 1: shown = ObservedSelection(query, client: client) { $0 }.result
          case 2: shown = ObservedQueries([AnyQuery(query)], client: client)[query.key]
          default:
            let pages = ObservedPagination(Pagination(input: 0), client: client) { _, _ in query }
            shown = pages.query.result
          }
          expectEqual(shown.map(text), expected, "\(query.key)")
          expect(shown?.cause == look.cause && shown?.dataUpdatedAt == look.dataUpdatedAt)
          // Nobody is left over for the next of the same key.
          client.cancel(query)
          simulation.settle()
        }
        client.shutDown()
      }
    }
  }

  @Test("V12: offline the first frame is paused, and a look says so too")
  func offline() {
    Simulation.onMainActor { simulation in
      let online = ManualSignal(false)
      let client = QueryClient(simulation: simulation) {
        $0.connectivity = Connectivity { online }
      }
      let other = ObservedQuery(query("other"), client: client)
      // The first report comes with the first observer, whose fetch has begun by then.
      simulation.settle()
      expect(other.isFetching)
      let table: [(Query<String>, String)] = [
        (query("a"), "-‖~"), (query("b").initialData("initial"), "initial‖~"),
        (query("c").networkMode(.always), "-…~"),
      ]
      for (query, expected) in table {
        expectEqual(text(client.result(for: query)), expected)
        expectEqual(text(ObservedQuery(query, client: client).result), expected)
      }
    }
  }

  @Test("T11, O04, O07: each policy of refetching may be a function of the query's state")
  func policiesAreFunctions() {
    Simulation.onMainActor { simulation in
      let (online, active) = (ManualSignal(true), ManualSignal(true))
      let client = QueryClient(simulation: simulation) {
        $0.connectivity = Connectivity { online }
        $0.activity = AppActivity { active }
      }
      let log = FetchLog()
      let query = Query("q") { (context: FetchContext) in
        log.add("\(context.cause)")
        return "data"
      }
      .staleTime(.infinite)
      .enabled { $0.errorUpdateCount == 0 }
      .refetchOnAppear(.when { $0.dataUpdateCount < 2 })
      .refetchOnReconnect(.when { $0.dataUpdateCount < 3 })
      .refetchOnActive(.dynamic { $0.dataUpdateCount < 4 ? .always : .never })
      .refetchInterval(.dynamic { $0.dataUpdateCount < 5 ? .seconds(10) : nil })
      func turn(_ signal: ManualSignal<Bool>) {
        signal.send(false)
        simulation.settle()
        signal.send(true)
        simulation.settle()
      }
      var shown: [ObservedQuery<String>] = []
      for _ in 0..<3 {
        shown.append(ObservedQuery(query, client: client))
        simulation.settle()
      }
      expectEqual(log.lines, ["subscribed", "subscribed"])
      for _ in 0..<2 { turn(online) }
      expectEqual(log.lines.dropFirst(2), ["reconnect"])
      for _ in 0..<2 { turn(active) }
      expectEqual(log.lines.dropFirst(3), ["active"])
      simulation.advance(by: .seconds(60))
      expectEqual(log.lines.dropFirst(4), ["interval"])
      withExtendedLifetime(shown) {}
    }
  }
}
