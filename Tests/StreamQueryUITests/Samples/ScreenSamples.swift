import Observation
import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

private struct Pokemon: Hashable, Sendable {
  var name: String
  var hasVariants: Bool
}

private struct EmptyTerm: Error {}

private struct APIError: Error, Equatable {
  var statusCode: Int
}

/// Finds what its properties say when it fetches.
@MainActor private final class PokemonSearch: QueryFetcher {
  var searchTerm: String
  var includesVariants = true

  init(searchTerm: String = "") { self.searchTerm = searchTerm }

  func fetch() async throws -> Pokemon {
    guard !searchTerm.isEmpty else { throw EmptyTerm() }
    return Pokemon(name: searchTerm, hasVariants: includesVariants)
  }
}

/// What a generator makes of a query language: the request is the key.
private struct ThumbnailRequest: QueryRequest {
  struct Response: Hashable, Sendable {
    struct Me: Hashable, Sendable { var thumbnailURL: String? }
    var me: Me?
  }

  var userID: String

  func fetch(_ context: FetchContext) async throws -> Response {
    Response(me: Response.Me(thumbnailURL: "https://example.com/\(userID)"))
  }
}

/// Screens without their views: what they observe, when that is fetched again, and what they show.
@MainActor struct ScreenSamples {
  // MARK: When to fetch again

  /// A client whose network and app the test turns off and on.
  @MainActor private final class Device {
    let client: QueryClient
    private let simulation: Simulation
    private let online = ManualSignal(true)
    private let active = ManualSignal(true)

    init(_ simulation: Simulation) {
      self.simulation = simulation
      client = QueryClient(simulation: simulation) { [online, active] in
        $0.connectivity = Connectivity { online }
        $0.activity = AppActivity { active }
      }
      simulation.settle()
    }

    /// How often each event makes an observed query fetch: its appearance, that of a second view,
    /// the return of the network, and of the app.
    func fetches(of query: (ScriptedFetch<Int>) -> Query<Int>, after age: Duration) -> [Int] {
      let fetch = ScriptedFetch<Int>(.value(1))
      let query = query(fetch)
      var counts: [Int] = []
      var last = 0
      func count() {
        simulation.settle()
        counts.append(fetch.callCount - last)
        last = fetch.callCount
        simulation.advance(by: age)
      }
      let first = ObservedQuery(query, client: client)
      count()
      let second = ObservedQuery(query, client: client)
      count()
      for signal in [online, active] {
        signal.send(false)
        signal.send(true)
        count()
      }
      expect(first.isSuccess && second.isSuccess)
      return counts
    }
  }

  private func config(_ fetch: ScriptedFetch<Int>) -> Query<Int> {
    Query("config", fetch: fetch).staleTime(.hours(24))
      .refetchOnAppear(.never).refetchOnReconnect(.never).refetchOnActive(.never)
  }

  private func notifications(_ fetch: ScriptedFetch<Int>) -> Query<Int> {
    Query("notifications", fetch: fetch).staleTime(.zero)
      .refetchOnAppear(.always).refetchOnReconnect(.always).refetchOnActive(.always)
  }

  private func profile(_ fetch: ScriptedFetch<Int>) -> Query<Int> {
    Query("profile", fetch: fetch).staleTime(.minutes(5))
      .refetchOnAppear(.ifStale).refetchOnReconnect(.ifStale).refetchOnActive(.never)
  }

  @Test("W04: a configuration is fetched once, whatever happens")
  func configuration() {
    Simulation.onMainActor { simulation in
      expectEqual(Device(simulation).fetches(of: config, after: .hours(12)), [1, 0, 0, 0])
    }
  }

  @Test("W04: notifications are fetched whenever they may be new")
  func notificationsAreFetchedAlways() {
    Simulation.onMainActor { simulation in
      expectEqual(Device(simulation).fetches(of: notifications, after: .seconds(1)), [1, 1, 1, 1])
    }
  }

  @Test("W04: a profile is fetched when it is stale, but not because the app is back")
  func profiles() {
    Simulation.onMainActor { simulation in
      expectEqual(Device(simulation).fetches(of: profile, after: .minutes(1)), [1, 0, 0, 0])
    }
    Simulation.onMainActor { simulation in
      expectEqual(Device(simulation).fetches(of: profile, after: .minutes(6)), [1, 1, 1, 0])
    }
  }

  @MainActor @Observable final class ResultsModel {
    var isSearching = false
  }

  @Test("W04: results are fetched on appearing while the user searches")
  func whileSearching() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let model = ResultsModel()
      let fetch = ScriptedFetch<Int>(.value(1))
      // The condition is of the query's value: it is made again whenever the state changes.
      var query: Query<Int> {
        Query("results", "swift", fetch: fetch).staleTime(.minutes(10))
          .refetchOnAppear(.when { [isSearching = model.isSearching] in isSearching })
          .refetchOnReconnect(.ifStale)
      }
      let first = ObservedQuery(query, client: client)
      simulation.settle()
      for (isSearching, calls) in [(false, 1), (true, 2), (false, 2)] {
        model.isSearching = isSearching
        let view = ObservedQuery(query, client: client)
        simulation.settle()
        expect(fetch.callCount == calls && view.isSuccess)
      }
      expectEqual(first.data, 1)
    }
  }

  // MARK: Objects that fetch

  @Test("W04: two buttons search for what they say; the object is read when it fetches")
  func presets() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let search = ObservedFetcher(fetcher: PokemonSearch(), client: client) {
        Query("pokemon-search", fetcher: $0).retry(0).staleTime(.seconds(30))
      }
      try await simulation.settled()
      #expect(search.query.error is EmptyTerm)
      let pikachu = await search.refetch { $0.searchTerm = "pikachu" }
      expectEqual(pikachu.data, Pokemon(name: "pikachu", hasVariants: true))
      await search.refetch {
        $0.searchTerm = "charizard"
        $0.includesVariants = false
      }
      expectEqual(search.query.data, Pokemon(name: "charizard", hasVariants: false))
      expect(search.query.error == nil && search.fetcher.searchTerm == "charizard")
    }
  }

  @Test("W04: a closure is a query of its own, with the input that it was made with")
  func closures() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let id = 42
      let user = ObservedQuery(Query("user-\(id)") { try await api.user(id) }, client: client)
      let first = try await user.firstValue()
      expectEqual(first.id, 42)
    }
  }

  @Test("W04: a generated request is the key; a screen selects one field of the answer")
  func thumbnails() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let thumbnail = ObservedSelection(Query(ThumbnailRequest(userID: "7")), client: client) {
        $0.me?.thumbnailURL
      }
      simulation.settle()
      expectEqual(thumbnail.data, "https://example.com/7")
      client.setData(ThumbnailRequest.Response(), for: Query(ThumbnailRequest(userID: "7")))
      simulation.settle()
      expect(thumbnail.isSuccess && thumbnail.data == .some(nil))
    }
  }

  // MARK: Errors

  @Test("W04: only errors that nobody can mend in place go to the boundary")
  func errors() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let app = ErrorBoundary()
      let screen = ErrorBoundary(parent: app, catches: { $0 is APIError })
      for (status, isThrown) in [(500, true), (404, false)] {
        let error = APIError(statusCode: status)
        let query = Query(
          "todos",
          status,
          fetch: ScriptedFetch<[String]>(.failure(error), .value([]))
        )
        .retry(0).throwOnError(.when { ($0 as? APIError)?.statusCode == 500 })
        let todos = ObservedQuery(query, client: client)
        todos.boundary = screen
        try await simulation.settled()
        #expect(todos.error as? APIError == error && (screen.error != nil) == isThrown)
        await screen.reset()
        expect((todos.data != nil) == isThrown && screen.error == nil)
      }
      screen.report(Offline())
      #expect(app.error is Offline)
    }
  }

  // MARK: Settings

  @Test("W03: settings invalidate all users, or clear the cache")
  func settings() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let user = ObservedQuery(.user(42), client: client)
      client.setData([Repo(id: 1, name: "engine")], for: .repos(42))
      try await simulation.settled()
      let fetched = user.dataUpdatedAt
      try await simulation.settled(after: .seconds(1))
      await client.invalidate(.prefix("users"))
      #expect(try #require(user.dataUpdatedAt) > #require(fetched) && user.cause == .invalidated)
      client.clear()
      #expect(client.data(for: .repos(42)) == nil && client.diagnostics(.all).count <= 1)
    }
  }
}
