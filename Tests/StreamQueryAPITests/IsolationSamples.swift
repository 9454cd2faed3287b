import Observation
import StreamQuery
import StreamQueryTesting
import Testing

/// Queries made and used by actors, main-actor models and plain code: that it compiles, and what it does.
struct IsolationSamples {
  @Test func anActorsMethodsAreFetches() throws {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let store = Store()
    let query = simulation.run { await store.user(3) }
    try expectEqual(simulation.run { try await client.fetch(query) }.id, 3)
    expectEqual(simulation.run { await store.write(to: client) }, 1)
    expectEqual(client.data(for: query)?.email, "token!")
  }

  @Test func aQueryKeepsTheActorThatItsFetchNames() throws {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    // Nobody else holds the stores.
    let (strong, weak) = simulation.run { (await Store().strong(4), await Store().user(5)) }
    let held = simulation.record(client.stream(strong))
    let gone = simulation.record(client.stream(weak))
    simulation.advance(by: .seconds(1))
    #expect(held.summaries == [.pending(isFetching: true), .success(User(id: 4, name: "Ada"))])
    // The other has failed before anybody looks.
    #expect(gone.summaries == [.failure(Gone())])
    held.cancel()
    gone.cancel()
  }

  @Test func aRequestAsksAMainActorService() async throws {
    let repos = try await QueryClient().fetch(Query(ServiceSearch(text: "swift")))
    expectEqual(repos, [Repo(id: 1, name: "swift")])
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test @MainActor func aMainActorModelsQueriesFetchWhatItIsAtThen() {
    Simulation.onMainActor { simulation in
      let model = Model(client: QueryClient(simulation: simulation))
      model.page = 3
      let queries = model.queries()
      model.page = 5
      // The first captured the page; two read it when they fetch; three are of another user.
      for (query, id) in zip(queries, [3, 5, 5, 1, 1, 1]) {
        let client = QueryClient(simulation: simulation)
        let recording = simulation.record(client.stream(query))
        simulation.advance(by: .milliseconds(10))
        #expect(
          recording.summaries == [.pending(isFetching: true), .success(User(id: id, name: "Ada"))]
        )
        recording.cancel()
        client.shutDown()
      }
      model.client.shutDown()
    }
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test @MainActor func conditionsAskAMainActorModel() {
    Simulation.onMainActor { askConditions($0) }
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @MainActor private func askConditions(_ simulation: Simulation) {
    let online = ManualSignal(true)
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { @Sendable in
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
    }
    simulation.settle()
    let model = Model(client: client)
    @MainActor func causes(_ query: Query<User>) -> [FetchCause?] {
      let recording = simulation.record(client.stream(query))
      simulation.settle()
      for isSearching in [false, true] {
        model.isSearching = isSearching
        for signal in [active, online] {
          simulation.advance(by: .seconds(1))
          signal.send(false)
          signal.send(true)
          // The condition is asked now.
          simulation.settle()
        }
      }
      simulation.advance(by: .seconds(6))
      let fetching = recording.values.filter(\.isFetching).map(\.cause)
      recording.cancel()
      client.clear()
      return fetching
    }
    model.isVisible = true
    let visible: [FetchCause?] = [.subscribed, .active, .reconnect, .interval]
    expectEqual(causes(model.queries()[3]), visible)
    model.isVisible = false
    let hidden: [FetchCause?] = [.subscribed, .active, .reconnect]
    expectEqual(causes(model.queries()[3]), hidden)
    // Nothing is said of the network: if stale.
    let ifStale: [FetchCause?] = [.subscribed, .reconnect, .active, .reconnect]
    expectEqual(causes(model.queries()[4]), ifStale)
    client.shutDown()
    online.finish()
    active.finish()
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test @MainActor func aPlainTaskOfAModelFollowsAStream() {
    Simulation.onMainActor { followStream($0) }
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @MainActor private func followStream(_ simulation: Simulation) {
    let client = QueryClient(simulation: simulation)
    let model = Model(client: client)
    client.setData(User(id: 42, name: "Cached"), for: .user(42))
    let task = model.runOnAStream()
    expectEqual(client.diagnostics(.query(.user(42))).map(\.observerCount), [0])
    var names: [String?] = [model.user?.name]
    @MainActor func step(_ change: () -> Void) {
      change()
      simulation.settle()
      names.append(model.user?.name)
    }
    step {}
    expectEqual(client.diagnostics(.query(.user(42))).map(\.observerCount), [1])
    step { model.rename(to: "Grace") }
    step { client.remove(.query(.user(42))) }
    step { client.setData(User(id: 42, name: "Ada"), for: .user(42)) }
    step { task.cancel() }
    // It is over: nobody shows this.
    step { model.rename(to: "Eve") }
    let shown: [String?] = [nil, "Cached", "Grace", nil, "Ada", "Ada", "Ada"]
    expectEqual(names, shown)
    expectEqual(client.diagnostics(.query(.user(42))).map(\.observerCount), [0])
    client.shutDown()
  }

  @Test @MainActor func aMainActorModelDrawsResults() async throws {
    let client = QueryClient()
    let model = Model(client: client)
    client.setData(User(id: 42, name: "Ada"), for: .user(42))
    await model.run()
    expectEqual(model.user?.name, "Ada")
    model.rename(to: "Grace")
    expectEqual(model.user?.name, "Ada")
    expectEqual(client.data(for: .user(42))?.name, "Grace")
    await model.load()
    expectEqual(model.user?.name, "Grace")
    let renamed = try await client.mutate(model.renaming(), with: "Ada")
    expectEqual(model.user, renamed)
    expect(!model.isRefreshing)
  }
}

/// The owner of a query is gone.
private struct Gone: Error {}

/// The app's server where an answer takes ten milliseconds, by the clock of whoever asks.
private struct SlowAPI: Sendable {
  static let live = SlowAPI()

  func user(_ id: User.ID) async throws -> User {
    try await Scheduling.current.clock.sleep(for: .milliseconds(10))
    return try await api.user(id)
  }

  func rename(_ id: User.ID, to name: String) async throws -> User {
    try await Scheduling.current.clock.sleep(for: .milliseconds(10))
    return try await api.rename(id, to: name)
  }
}

private actor Store {
  var token = "token"

  func load(_ id: User.ID) async throws -> User { try await SlowAPI.live.user(id) }

  func user(_ id: User.ID) -> Query<User> {
    Query("users", id) { [weak self] in
      guard let self else { throw Gone() }
      _ = await self.token
      return try await self.load(id)
    }.retry(0)
  }

  func strong(_ id: User.ID) -> Query<User> { Query("users", id) { try await self.load(id) } }

  /// An updater may wait for a store, so it takes copies of what its caller is isolated to.
  func write(to client: QueryClient) -> Int {
    client.updateData(for: .user(3)) { [token] user in user?.email = token }
    return client.updateData(matching: .prefix("users", 3), of: User.self) { _, user in
      user?.email += "!"
    }
  }
}

@MainActor @Observable private final class Model {
  var user: User?
  var isRefreshing = false
  var isSearching = false
  var isVisible = true
  var page = 1
  let client: QueryClient
  private let server = SlowAPI.live

  init(client: QueryClient) { self.client = client }

  func run() async {
    for await result in client.results(of: .user(42)) {
      user = result.data
      isRefreshing = result.isFetching
      if result.isSuccess { return }
    }
  }

  func runOnAStream() -> Task<Void, Never> {
    Task {
      for await result in client.stream(.user(42)) { user = result.data }
    }
  }

  func load() async {
    do {
      user = try await client.fetch(.user(42))
    } catch {
      user = client.data(for: .user(42))
    }
    await client.prefetch(.users)
  }

  func rename(to name: String) {
    client.updateData(for: .user(42)) { $0?.name = name }
    client.updateData(for: .users) { users in users = (users ?? []) + [.ada] }
  }

  func renaming() -> Mutation<String, User> {
    Mutation("rename") { [server] name in try await server.rename(1, to: name) }
      .onMutate { _, _ in self.isRefreshing = true }
      .onSuccess { user, _ in self.user = user }
      .onError { _, _ in self.user = nil }
      .onSettled { _, _ in self.isRefreshing = false }
  }

  func queries() -> [Query<User>] {
    [
      Query("users", page) { [page, server] in try await server.user(page) },
      Query("users", page) { try await self.server.user(await self.page) },
      Query("users") { @MainActor in try await self.server.user(self.page) },
      Query("users") { try await SlowAPI.live.user(1) }
        .refetchOnActive(.when { await self.isSearching })
        .refetchOnReconnect(.when { [weak self] in await self?.isSearching ?? false })
        .refetchInterval(isVisible ? .seconds(5) : nil),
      Query("users") { try await SlowAPI.live.user(1) }
        .refetchOnActive(.when { @MainActor () async in self.isSearching }),
      Query("users") { try await SlowAPI.live.user(1) }
        .refetchOnReconnect { info in self.isVisible && info.isStale ? .always : .never },
    ]
  }
}

@MainActor private final class Service {
  static let shared = Service()
  func search(_ text: String) async throws -> [Repo] { [Repo(id: 1, name: text)] }
}

/// A request that asks a main-actor service.
private struct ServiceSearch: QueryRequest {
  var text: String

  func fetch(_ context: FetchContext) async throws -> [Repo] {
    try await Service.shared.search(text)
  }
}
