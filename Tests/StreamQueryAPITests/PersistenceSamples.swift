import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Persistence in the shapes in which people use it.
struct PersistenceSamples {
  private let simulation = Simulation()

  @Test("T87: a client keeps everything, and the next launch begins with it")
  func aWholeClient() throws {
    let store = MemoryStore()
    func launch() -> QueryClient {
      QueryClient(simulation: simulation) {
        var persistence = Persistence(in: store, partition: "account 1", version: "2")
        persistence.includes = { $0.key != ["search"] }
        persistence.limit = StoreLimit(maxBytes: 5_000_000, order: .leastRecentlyUsedFirst)
        $0.persistence = persistence
      }
    }
    let first = launch()
    first.setData(.ada, for: .user(1))
    first.setData(["x"], for: "search" as QueryKey<[String]>)
    try simulation.run { try await first.save() }
    first.shutDown()

    let second = launch()
    expect(second.isRestoring)
    expect(second.result(for: .user(1)).isRestoring)
    try simulation.run { try await second.restore() }
    expectEqual(second.data(for: .user(1)), .ada)
    expectNil(second.data(for: "search" as QueryKey<[String]>))
    second.shutDown()
  }

  @Test("what could not be saved is known by its store")
  func saveErrors() throws {
    let store = MemoryStore()
    let client = QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    simulation.settle()
    _ = store.wipe(.main)
    client.setData(.ada, for: .user(1))
    simulation.run {
      do {
        try await client.save()
        Issue.record("a wiped partition was written")
      } catch let error as QuerySaveError {
        expectEqual(error.failures.map { $0.store === store }, [true])
        expectEqual(error.failures.map(\.partition), [.main])
        guard case .superseded? = error.failures.first?.error else { return #expect(Bool(false)) }
        #expect(error.description.hasPrefix("MemoryStore: the partition was wiped"))
      } catch {
        Issue.record(error)
      }
    }
    client.shutDown()
  }

  @Test("what was kept in another form is migrated")
  func migrating() throws {
    let store = MemoryStore()
    let first = QueryClient(simulation: simulation)
    first.setData("Ada", for: Query<String>(key: "draft").persisted(in: store))
    try simulation.run { try await first.save() }
    first.shutDown()
    let query = Query<String>(key: "draft")
      .persisted(in: store, version: "2") { json, version in
        version + String(decoding: json, as: UTF8.self)
      }
    let same = Query<String>(key: "draft")
      .persisted(Persistence(in: store, version: "3")) { data, _ in "\(data.count)" }
    for (query, value) in [(query, "\"Ada\""), (same, "5")] {
      let next = QueryClient(simulation: simulation)
      expect(next.result(for: query).isRestoring)
      // The store is read at the first use of a query.
      expectNil(next.data(for: query))
      simulation.settle()
      expectEqual(next.data(for: query), value)
      next.shutDown()
    }
    simulation.settle()
    let problems: [SavedValueError] = [
      .tooLarge(byteCount: 2, limit: 1), .givenUp(count: 3), .notEncodable(typeName: "Stone"),
    ]
    #expect(problems.allSatisfy { !$0.description.isEmpty })
  }

  @Test("an update before the store is read runs on what is kept")
  func earlyUpdate() throws {
    let store = MemoryStore()
    func launch() -> QueryClient {
      QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    }
    let first = launch()
    first.setData([.ada], for: .users)
    try simulation.run { try await first.save() }
    first.shutDown()
    let next = launch()
    expectNil(next.updateData(for: .users) { $0?.append(User(id: 2, name: "Alan")) })
    try simulation.run { try await next.save() }
    expectEqual(next.data(for: .users)?.map(\.name), ["Ada", "Alan"])
    next.shutDown()
  }

  @Test("what could not be kept is told of with its store")
  func events() throws {
    let store = MemoryStore()
    let client = QueryClient(simulation: simulation) {
      $0.persistence = Persistence(in: store, maxAge: Persistence.unlimited)
    }
    let events = simulation.record(client.events)
    simulation.settle()
    _ = store.wipe(.main)
    client.setData(.ada, for: .user(1))
    simulation.advance(by: .seconds(2))
    let stores = events.values.compactMap(\.store)
    expectEqual(stores, ["MemoryStore, partition main"])
    events.cancel()
    client.shutDown()
  }

  @Test("a line of a log names the store, and not the account")
  func logLines() throws {
    let store = MemoryStore()
    let client = QueryClient(simulation: simulation) {
      $0.persistence = Persistence(in: store)
      $0.partition = "ada@example.org"
    }
    let events = simulation.record(client.events)
    simulation.settle()
    _ = store.wipe("ada@example.org")
    client.setData(.ada, for: .user(1))
    simulation.run {
      do {
        try await client.save()
        Issue.record("a wiped partition was written")
      } catch {
        #expect("\(error)".hasPrefix("MemoryStore: the partition was wiped"))
      }
    }
    let told = events.values.filter { $0.store != nil }
    expectEqual(told.map(\.store), ["MemoryStore, partition ada@example.org"])
    #expect(told.allSatisfy { $0.description.hasSuffix(" in MemoryStore") })
    #expect(!events.values.contains { "\($0)".contains("ada") })
    events.cancel()
    client.shutDown()
  }

  @Test("K16 K18: keys with their store as static members")
  func staticMembers() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(3, for: .visits)
    let recording = simulation.record(client.stream(.visits))
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.last?.data, 3)
    recording.cancel()
    client.shutDown()

    let next = QueryClient(simulation: simulation)
    let again = simulation.record(next.stream(.visits))
    simulation.advance(by: .seconds(2))
    expectEqual(again.values.last?.data, 3)
    again.cancel()
    next.shutDown()
    // The leak sanitizer does not find what a global has.
    simulation.settle()
    _ = visitStore.wipe(.main)
  }
}

private let visitStore = MemoryStore()

extension Query<Int> {
  fileprivate static var visits: Query<Int> { Query(key: "visits").persisted(in: visitStore) }
}
