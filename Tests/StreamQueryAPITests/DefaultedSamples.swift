import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

/// Keys with their store and their default, named once as static members.
@Suite(.serialized) struct DefaultedSamples {
  private let simulation = Simulation()

  @Test("K19: the call names neither the place nor the default nor the type")
  func defaults() throws {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(.favorites))
    let results = simulation.record(client.results(of: .favorites))
    expectEmpty(client.data(for: .favorites))
    expect(client.result(for: .favorites).isDefault)
    expect(client.result(for: .favorites).isRestoring)
    client.updateData(for: .favorites) { $0.append(.ada) }
    client.setData([.ada], for: .favorites)
    simulation.settle()
    let users = try simulation.run { try await client.fetch(.favorites) }
    expectEqual(users, [.ada])
    try expectEqual(
      simulation.run { try await client.fetch(.favorites, throwOnError: true) },
      [.ada]
    )
    expectEqual(recording.values.last?.data, [.ada])
    expectEqual(results.values.last?.data.count, 1)
    simulation.run {
      await client.invalidate(.favorites)
      await client.prefetch(.favorites)
    }
    let ensured: [User] = try simulation.run { try await client.ensure(.favorites) }
    expectEqual(ensured.count, 1)
    recording.cancel()
    results.cancel()
    end(client)
  }

  @Test("K16 K18: the same for files, app defaults, memory and a store of one's own")
  func everyStore() {
    let queries: [DefaultedQuery<String>] = [.draft, .theme, .session, .pinned]
    expectEqual(queries.map(\.defaultValue), ["", "light", "none", "nothing"])
    let client = QueryClient(simulation: simulation)
    for query in queries { expectEqual(client.data(for: query), query.defaultValue) }
    simulation.settle()
    client.setData("Dear Ada", for: .draft)
    client.setData("dark", for: .theme)
    client.setData("abc", for: .session)
    client.setData("first", for: .pinned)
    let draft: String = client.data(for: .draft)
    let pinned: String = client.data(for: .pinned)
    expectEqual(draft, "Dear Ada")
    expectEqual(pinned, "first")
    client.shutDown()
    // Months later, at the next launch: what nobody can fetch again does not grow too old. What the store of
    // one's own forgets is shown as the default.
    simulation.advance(by: .hours(5_000))
    let next = QueryClient(simulation: simulation)
    let shown = queries.map { simulation.record(next.stream($0)) }
    simulation.settle()
    expectEqual(shown.map { $0.values.last?.data }, ["Dear Ada", "dark", "abc", "nothing"])
    for recording in shown { recording.cancel() }
    end(next)
    try? FileManager.default.removeItem(at: directory)
  }

  @Test("K16: a query, a key and a defaulted query of one entry")
  func oneEntry() {
    let client = QueryClient(simulation: simulation)
    client.setData([.ada], for: DefaultedQuery.favorites)
    expectEqual(client.data(for: DefaultedQuery.favorites.key), [.ada])
    expectEqual(client.data(for: DefaultedQuery.favorites.query), [.ada])
    // A query wins over a defaulted query of its name.
    let users = client.data(for: .allUsers)
    expectNil(users)
    expectEmpty(client.data(for: DefaultedQuery.allUsers))
    end(client)
  }

  @Test("K17: the type belongs to the name")
  func types() {
    let client = QueryClient(simulation: simulation)
    let (favorites, theme) = (client.data(for: .favorites), client.data(for: .theme))
    #expect(type(of: favorites) == [User].self)
    #expect(type(of: theme) == String.self)
    end(client)
  }

  /// Leaves nothing in the stores that all tests share: the leak sanitizer does not find what they have.
  private func end(_ client: QueryClient) {
    client.shutDown()
    simulation.settle()
    _ = memory.wipe(.main)
    smallDefaults.removeAll()
  }
}

private let memory = MemoryStore()
private let directory = URL.temporaryDirectory.appending(path: "Defaulted-\(UUID().uuidString)")
private let files = FileStore(directory: directory)
private let smallDefaults = SmallDefaults()
private let small = DefaultsStore(smallDefaults)

/// App defaults stand-in: `UserDefaults` on Apple platforms is `DefaultsStore()`.
private final class SmallDefaults: DefaultsStorage {
  private let values = Mutex<[String: Data]>([:])

  var storageIdentity: ObjectIdentifier { ObjectIdentifier(self) }
  func data(forKey name: String) -> Data? { values.withLock { $0[name] } }
  func set(_ data: Data?, forKey name: String) { values.withLock { $0[name] = data } }
  func removeAll() { values.withLock { $0 = [:] } }
}

/// A store of one's own, which keeps nothing.
private final class ForgetfulStore: QueryStore {
  func load(_ partition: StorePartition) async -> StoreContents {
    StoreContents(generation: .first)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async {}

  func wipe(_ partition: StorePartition) async -> StoreGeneration { .first.next }
}

private let forgetful = ForgetfulStore()

extension DefaultedQuery<[User]> {
  fileprivate static var favorites: Self {
    Query("favorites") { try await api.users() }.persisted(in: memory).defaulting(to: [])
  }

  fileprivate static var allUsers: Self { Query.allUsers.defaulting(to: []) }
}

extension Query<[User]> {
  fileprivate static var allUsers: Self { Query("all users") { try await api.users() } }
}

extension DefaultedQuery<String> {
  fileprivate static var draft: Self {
    Query(key: "draft").persisted(in: files).defaulting(to: "")
  }

  fileprivate static var theme: Self {
    Query(key: "theme").persisted(in: small, version: "2").defaulting(to: "light")
  }

  fileprivate static var session: Self {
    Query(key: "session").persisted(in: memory).defaulting(to: "none")
  }

  fileprivate static var pinned: Self {
    Query(key: "pinned").persisted(in: forgetful).defaulting(to: "nothing")
  }
}
