import Observation
import StreamQuery
import StreamQueryTesting
import Testing

/// Queries made and used by actors, main-actor models and plain code: what compiles there.
@Suite struct IsolationSamples {
  @Test func anActorsMethodsAreFetches() throws {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let store = Store()
    let query = simulation.run { await store.user(3) }
    #expect(try simulation.run { try await client.fetch(query) }.id == 3)
    #expect(simulation.run { await store.write(to: client) } == "Ada")
  }

  @Test @MainActor func aMainActorModelDrawsResults() async throws {
    let client = QueryClient()
    let model = Model(client: client)
    client.setData(User(id: 42, name: "Ada"), for: .user(42))
    await model.run()
    #expect(model.user?.name == "Ada")
    model.rename(to: "Grace")
    #expect(model.user?.name == "Ada")
    #expect(client.data(for: .user(42))?.name == "Grace")
    await model.load()
    #expect(model.user?.name == "Grace")
    let renamed = try await client.mutate(model.renaming(), with: "Ada")
    #expect(model.user == renamed)
    #expect(!model.isRefreshing)
  }
}

private actor Store {
  var token = "token"
  var written = ""

  func load(_ id: User.ID) async throws -> User { try await api.user(id) }

  func user(_ id: User.ID) -> Query<User> {
    Query("user", id) { [weak self] in
      guard let self else { throw CancellationError() }
      _ = await self.token
      return try await self.load(id)
    }
  }

  func strong(_ id: User.ID) -> Query<User> { Query("user", id) { try await self.load(id) } }

  /// An updater runs in place, so it may use what its caller is isolated to.
  func write(to client: QueryClient) -> String {
    client.updateData(for: .user(3)) { user in
      written = user?.name ?? ""
      user?.email = token
    }
    return written
  }
}

@MainActor @Observable private final class Model {
  var user: User?
  var isRefreshing = false
  var isSearching = false
  var isVisible = true
  var page = 1
  let client: QueryClient
  private let server = API.live

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
      Query("user", page) { [page, server] in try await server.user(page) },
      Query("user", page) { try await self.server.user(await self.page) },
      Query("user") { @MainActor in try await self.server.user(self.page) },
      Query("user") { try await api.user(1) }
        .refetchOnActive(.when { self.isSearching })
        .refetchOnReconnect(.when { [weak self] in self?.isSearching ?? false })
        .refetchInterval(isVisible ? .seconds(5) : nil),
      Query("user") { try await api.user(1) }
        .refetchOnActive(.when { @MainActor in self.isSearching })
        .refetchOnReconnect { info in self.isVisible && info.isStale ? .always : .never },
    ]
  }
}

@MainActor private final class Service {
  static let shared = Service()
  func search(_ text: String) async throws -> [Repo] { [] }
}

/// A request that asks a main-actor service.
private struct ServiceSearch: QueryRequest {
  var text: String

  func fetch(_ context: FetchContext) async throws -> [Repo] {
    try await Service.shared.search(text)
  }
}
