import Observation
import StreamQuery
import StreamQueryOperators

// An app of a module whose default isolation is the main actor. What it says `nonisolated` of, and of
// what it does not have to, is what the documentation says.

/// A model: what is cached, compared and decoded by others than the main actor belongs to no actor.
nonisolated struct Todo: Codable, Equatable, Identifiable, Sendable {
  var id: Int
  var title: String
}

/// A part of keys.
nonisolated enum Route: Hashable {
  case inbox, project(Int)
}

/// A part of keys that can be ordered and written to archives.
nonisolated struct Filter: Codable, Comparable, Hashable {
  var year: Int

  static func < (one: Self, other: Self) -> Bool { one.year < other.year }
}

// These conform to protocols of the library, so they belong to no actor by themselves.

struct TodosOf: QueryRequest, Codable {
  var project: Int

  func fetch(_ context: FetchContext) async throws -> [Todo] { try await server.todos(of: project) }
}

struct Path: KeyPartsConvertible {
  var folder: String, name: String

  var keyParts: AnyQueryKey { [folder, name] }
}

enum Audience: QueryMetaKey {
  static let defaultValue = "all"
}

/// A service, which belongs to the main actor as most classes do.
final class Server {
  var asked = 0

  func todos(of project: Int) async throws -> [Todo] {
    asked += 1
    return [Todo(id: project, title: "Write"), Todo(id: project + 1, title: "Read")]
  }

  func rename(_ todo: Todo) async throws -> Todo { todo }
}

let server = Server()

// Extensions of the library's types belong to no actor either.

extension QueryKey where Value == [Todo] {
  static func todos(at route: Route) -> Self { ["todos", route] }
}

extension Query where Value == [Todo] {
  static func todos(at route: Route) -> Self {
    Query(key: .todos(at: route)) { try await server.todos(of: 1) }.staleTime(.calm)
  }
}

extension InfiniteQuery<[Todo], Int> {
  static var archive: Self {
    Self("archive", initialPageParam: 1) { page, _ in
      try await server.todos(of: page)
    } nextPageParam: {
      $0.lastPage.isEmpty ? nil : $0.lastParam + 1
    }
  }
}

extension Mutation where Input == Todo, Output == Todo {
  static var rename: Self {
    Mutation("rename") { try await server.rename($0) }
      .optimistic { todo, changes in
        changes.update(.todos(at: .inbox)) { $0 = $0?.map { $0.id == todo.id ? todo : $0 } }
      }
      .onSuccess { _, context in await context.client.invalidate(.todos) }
  }
}

extension StaleTime {
  static var calm: Self { .minutes(5) }
}

// But for a member that reads what belongs to the main actor.
extension QueryOptions {
  @MainActor static var byDemand: Self { QueryOptions(staleTime: .seconds(server.asked)) }
}

extension RetryPolicy {
  static var twice: Self { 2 }
}

extension QueryFilter {
  static var todos: Self { .prefix("todos") }
}

extension QueryMeta {
  var audience: String { self[Audience.self] }
}

extension QueryResult where Value == [Todo] {
  var titles: [String] { data?.map(\.title) ?? [] }
}

/// What a closure that belongs to no actor can use of all that.
nonisolated func elsewhere(_ client: QueryClient, _ ids: AsyncStream<Int>) async {
  for await result in ids.switchToLatest({
    client.results(of: .todos(at: .project($0)).retry(.twice))
  }) where result.titles.isEmpty {
    await client.invalidate(.todos)
  }
}

/// A model of a view, as it is written without a thought of isolation.
@Observable final class TodoList {
  private(set) var todos: [Todo] = []
  private(set) var total = 0
  private(set) var failures = 0
  private(set) var changes = 0
  private(set) var saved: Todo?
  private(set) var settled = 0
  var isVisible = true
  private(set) var conditions = 0

  @ObservationIgnored let client: QueryClient

  init(_ client: QueryClient) { self.client = client }

  func follow(_ query: Query<[Todo]>) async {
    let results = client.results(of: query)
      .onSuccess { self.total = $0.count }
      .onFailure { _ in self.failures += 1 }
      .onChange { _ in self.changes += 1 }
    for await result in results { todos = result.data ?? [] }
  }

  /// A stream instead, and an object that may go.
  func followWeakly(_ query: Query<[Todo]>) {
    Task { [weak self, client] in
      for await _ in client.stream(query).onSuccess({ [weak self] in self?.total = $0.count }) {}
    }
  }

  func save(_ todo: Todo) async throws {
    let save = Mutation("save") { (todo: Todo) in try await server.rename(todo) }
      .onMutate { _, _ in self.isVisible = false }
      .onSuccess { todo, _ in self.saved = todo }
      .onError { _, _ in self.failures += 1 }
      .onSettled { _, _ in self.settled += 1 }
    try await client.mutate(save, with: todo)
  }

  func whileVisible(_ query: Query<[Todo]>) -> Query<[Todo]> {
    query
      .refetchOnActive(.when { await self.asked() })
      .refetchOnReconnect { _ in self.asked() ? .always : .never }
  }

  private func asked() -> Bool {
    conditions += 1
    return isVisible
  }
}
