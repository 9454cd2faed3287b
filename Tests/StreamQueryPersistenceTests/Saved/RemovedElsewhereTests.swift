import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Removals of what another client of the same store saved after this one had read it.
struct RemovedElsewhereTests: SlowStoreSuite {
  let simulation = Simulation(seed: 29)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func save(_ client: QueryClient) throws {
    try simulation.run { try await client.save() }
  }

  enum Removal: CaseIterable {
    case key, prefix, all, clear, predicate, reset

    /// The numbers of which something is left.
    var rest: [Int] {
      switch self {
      case .key, .reset: [2, 3]
      case .prefix: [3]
      case .all, .clear, .predicate: []
      }
    }
  }

  @Test("they are removed from the store, too", arguments: Removal.allCases)
  func removed(_ removal: Removal) throws {
    let (client, other) = (client(), client())
    simulation.settle()
    for number in 1...2 { other.setData(number, for: key(number)) }
    other.setData(3, for: ["m", 3] as QueryKey<Int>)
    try save(other)
    switch removal {
    case .key: client.remove(key(1))
    case .prefix: client.remove(["n"])
    case .all: client.remove(.all)
    case .clear: client.clear()
    case .predicate: client.remove(.where { $0.observerCount == 0 })
    case .reset: simulation.run { [client, key = key(1)] in await client.reset(key) }
    }
    try save(client)
    let keys = store.memory.load(.main).records.map(\.key)
    let rest = removal.rest.map { #"query/Swift.Int["\#($0 == 3 ? "m" : "n")",\#($0)]"# }
    expectEqual(keys, rest.sorted())
    client.shutDown()
    other.shutDown()
  }

  @Test("what this client saves after the call stays, and so does what nobody meant")
  func later() throws {
    let (client, other) = (client(), client())
    simulation.settle()
    other.setData(1, for: key(1))
    try save(other)
    client.remove(["n"])
    client.setData(5, for: key(1))
    client.setData(6, for: key(2))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 5"#, #"Swift.Int["n",2] 6"#])
    client.shutDown()
    other.shutDown()
  }

  @Test("what is kept without a limit of age leaves only if its key is named")
  func unlimited() throws {
    let (client, other) = (client(), client { $0.maxAge = Persistence.unlimited })
    simulation.settle()
    other.setData(1, for: key(1))
    try save(other)
    client.remove(.where { _ in true })
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.remove(["n"])
    try save(client)
    expectEqual(kept, [])
    client.shutDown()
    other.shutDown()
  }

  @Test("what is inactive and matches a predicate leaves, but no draft that nobody has opened yet")
  func unopenedDraft() throws {
    let former = self.client { $0.maxAge = Persistence.unlimited }
    former.setData(1, for: key(1))
    try save(former)
    former.shutDown()
    let client = client()
    simulation.settle()
    client.setData(2, for: key(2))
    try save(client)
    client.remove(!.active && .where { $0.age ?? .zero < .hours(1) })
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.remove(.inactive)
    try save(client)
    expectEmpty(kept)
    client.shutDown()
  }

  @Test("a removal by state reaches what another client has saved for an entry without data")
  func behindAnEmptyEntry() throws {
    let (client, other) = (client(), client())
    simulation.settle()
    let failing = Query<Int>(key: key(1)) { throw Boom() }.retry(0)
    let recording = simulation.record(client.stream(failing))
    simulation.settle()
    recording.cancel()
    simulation.settle()
    other.setData(1, for: key(1))
    try save(other)
    client.remove(.inactive)
    try save(client)
    expectEmpty(kept)
    client.shutDown()
    other.shutDown()
  }

  @Test("if the store cannot tell what it has, they are removed when it can")
  func notReadable() throws {
    let (client, other) = (client(), client())
    simulation.settle()
    other.setData(1, for: key(1))
    try save(other)
    store.change { $0.loadError = .denied }
    client.clear()
    simulation.run { [client] in
      _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
    }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    store.change { $0.loadError = nil }
    simulation.advance(by: .minutes(2))
    expectEqual(kept, [])
    client.shutDown()
    other.shutDown()
  }

  @Test("a client that ends removes them before")
  func atTheEnd() throws {
    let (client, other) = (client(), client())
    simulation.settle()
    other.setData(1, for: key(1))
    try save(other)
    client.clear()
    client.shutDown()
    simulation.settle()
    expectEqual(kept, [])
    other.shutDown()
  }

  @Test("however many removals come before the next write, each is performed on the store")
  func many() throws {
    let (client, other) = (client(), client())
    simulation.settle()
    // The filters ask for the states of entries, so what they say of cached ones is left to the cache.
    client.setData(0, for: ["m", 0] as QueryKey<Int>)
    try save(client)
    other.setData(64, for: key(64))
    try save(other)
    for number in 0...64 { client.remove(.prefix("n", number) && .inactive) }
    try save(client)
    expectEqual(kept, [#"Swift.Int["m",0] 0"#])
    client.shutDown()
    other.shutDown()
  }

  @Test("without a removal, nobody asks the store again")
  func noRemoval() throws {
    let client = client()
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.run { [client] in await client.invalidate(["n"]) }
    client.remove(key(2))
    try save(client)
    expectEqual(store.loads, 1)
    client.shutDown()
  }
}
