import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// What is kept of entries that are removed, reset, taken over or updated at odd times.
struct KeptEntriesTests: SlowStoreSuite {
  let simulation = Simulation(seed: 18)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  /// The key as a query that is kept by itself.
  private func own(_ number: Int) -> Query<Int> {
    Query(key: key(number)) { -1 }.staleTime(.hours(1)).persisted(in: store)
  }

  /// The same without a store.
  private func plain(_ number: Int) -> Query<Int> {
    Query(key: key(number)) { -2 }.staleTime(.hours(1))
  }

  /// Keeps some numbers, as a former launch did.
  private func keep(_ numbers: ClosedRange<Int>) {
    let former = QueryClient(simulation: simulation)
    for number in numbers { former.setData(number, for: own(number)) }
    simulation.settle()
    former.shutDown()
    simulation.settle()
    let lines = numbers.map { #"Swift.Int["n",\#($0)] \#($0)"# }
    expectEqual(kept, lines)
  }

  private func save(_ client: QueryClient) throws {
    try simulation.run { try await client.save() }
  }

  private func ensure(_ query: Query<Int>, _ client: QueryClient) throws -> Int {
    try simulation.run { try await client.ensure(query) }
  }

  @Test("what was removed does not come back because the key's next value is not to be kept")
  func excludedAfterRemoval() throws {
    let client = client { $0.includes = { $0.value(as: Int.self) != 2 } }
    simulation.settle()
    client.setData(1, for: key(1))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    // Without a removal, the former value stays.
    client.setData(2, for: key(1))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.remove(.inactive)
    client.setData(2, for: key(1))
    try save(client)
    expectEmpty(kept)
    client.setData(3, for: key(1))
    try save(client)
    client.remove(.inactive)
    client.setData(2, for: key(1))
    client.setData(4, for: key(1))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 4"#])
    client.shutDown()
  }

  // MARK: Calls before the first use

  @Test(
    "a call for a query that names its store reaches the store before any other use of it",
    arguments: [false, true]
  )
  func firstUse(invalidatesByTrigger: Bool) throws {
    keep(1...4)
    store.change { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation)
    client.remove(own(1))
    simulation.run { [client, own] in await client.reset(own(2)) }
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",3] 3"#, #"Swift.Int["n",4] 4"#])
    client.shutDown()
    simulation.settle()

    let next = QueryClient(simulation: simulation)
    if invalidatesByTrigger {
      let news = ManualSignal(QueryTrigger.invalidate(own(3)))
      let connection = next.connect(triggers: news)
      simulation.settle()
      connection.cancel()
    } else {
      simulation.run { [next, own] in await next.invalidate(own(3)) }
    }
    try save(next)
    next.shutDown()
    simulation.settle()
    let last = QueryClient(simulation: simulation)
    expectNil(last.data(for: own(3)))
    simulation.advance(by: .seconds(1))
    let (marked, fresh) = (last.result(for: own(3)), last.result(for: own(4)))
    expectEqual(marked.data, 3)
    expect(marked.isStale)
    expectEqual(fresh.data, 4)
    expect(!fresh.isStale)
    last.shutDown()
  }

  @Test("the same of a query with a default")
  func firstUseOfDefaulted() throws {
    keep(1...2)
    let client = QueryClient(simulation: simulation)
    client.remove(own(1).defaulting(to: 0))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",2] 2"#])
    client.shutDown()
  }

  @Test("a read of a query's data is a use, so that clear reaches its store")
  func clearedAfterARead() throws {
    keep(1...2)
    store.change { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation)
    _ = client.data(for: own(1))
    client.clear()
    try save(client)
    expectEmpty(kept)
    client.shutDown()
  }

  @Test("a question opens no store, a read does")
  func questions() {
    keep(1...1)
    let loads = store.loads
    let client = QueryClient(simulation: simulation)
    expect(client.isStale(own(1)))
    expect(client.result(for: own(1)).isRestoring)
    let options = ObserverOptions(staleTime: .seconds(1))
    expect(client.result(for: own(1), options: options).isRestoring)
    expect(!client.isRestoring)
    simulation.settle()
    expect(client.result(for: own(1)).isRestoring)
    expectEqual(store.loads, loads)
    expectNil(client.data(for: own(1)))
    simulation.settle()
    expectEqual(store.loads, loads + 1)
    let result = client.result(for: own(1))
    expectEqual(result.data, 1)
    expect(!result.isRestoring)
    client.shutDown()
  }

  @Test("a call for a query that is not kept opens no store")
  func notKept() {
    let client = QueryClient(simulation: simulation)
    client.remove(own(1).notPersisted())
    client.remove(plain(1))
    simulation.settle()
    expectEqual(store.loads, 0)
    client.shutDown()
  }

  // MARK: Takeovers

  @Test("what a query that is kept has written is saved, although another query takes the key over")
  func takenOver() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: own(1))
    try expectEqual(ensure(plain(1), client), 1)
    let recording = simulation.record(client.stream(plain(1)))
    client.setData(2, for: plain(1))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.setData(3, for: plain(1))
    try save(client)
    expectEqual(store.batches.count, 1)
    recording.cancel()
    client.shutDown()
  }

  @Test("a query that is kept and takes a key over keeps what it finds")
  func takesOver() throws {
    let client = QueryClient(simulation: simulation)
    _ = client.data(for: own(2))
    simulation.settle()
    client.setData(1, for: plain(1))
    _ = try ensure(plain(1), client)
    try save(client)
    expectEmpty(kept)
    let recording = simulation.record(client.stream(own(1)))
    try save(client)
    #expect(recording.summaries == [.success(1)])
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    recording.cancel()
    client.shutDown()
  }

  @Test("what is removed after a takeover is not saved")
  func removedAfterTakeover() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: own(1))
    client.setData(2, for: own(2))
    _ = try ensure(plain(1), client)
    client.remove(key(1))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",2] 2"#])
    client.shutDown()
  }

  // MARK: Updates and resets

  @Test("an update before the data is restored waits for it")
  func earlyUpdate() {
    keep(1...3)
    store.change { $0.loading = .seconds(1) }
    let misuses = Recorded<QueryMisuse>()
    let whole = QueryClient(simulation: simulation) { [store] in
      var persistence = Persistence(in: store)
      // The other one reads the store before this one writes.
      persistence.throttle = .seconds(5)
      $0.persistence = persistence
      $0.onMisuse = { misuses.append($0) }
    }
    let single = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.append($0) } }
    let recording = simulation.record(single.stream(own(2)))
    simulation.settle()
    func raise(_ client: QueryClient, _ number: Int) -> Int? {
      client.updateData(for: key(number)) { $0 = ($0 ?? 100) + 1 }
    }
    expectNil(raise(whole, 1))
    let ofQuery = single.updateData(for: own(1)) { $0 = ($0 ?? 100) + 1 }
    expectNil(ofQuery)
    // By key, of an entry whose query waits for its store.
    expectNil(raise(single, 2))
    // Of these nothing is kept, or it is known already.
    let notKept = whole.updateData(for: plain(2).notPersisted()) { $0 = 5 }
    expectEqual(notKept, 5)
    expectEqual(raise(single, 7), 101)
    whole.setData(8, for: key(3))
    expectEqual(raise(whole, 3), 9)
    simulation.advance(by: .seconds(1))
    expectEqual(whole.data(for: key(1)), 2)
    expectEqual(single.data(for: own(1)), 2)
    #expect(recording.summaries == [.pending(), .success(3)])
    expectEqual(raise(whole, 1), 3)
    expectEqual(raise(single, 2), 4)
    expectEmpty(misuses.values)
    recording.cancel()
    whole.shutDown()
    single.shutDown()
  }

  @Test("a reset by a predicate forgets what is kept of the entries that it holds for")
  func resetByPredicate() throws {
    let client = client()
    simulation.settle()
    for number in 1...2 { client.setData(number, for: key(number)) }
    try save(client)
    simulation.run { [client] in await client.reset(.where { $0.key == ["n", 1] }) }
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",2] 2"#])
    client.shutDown()
  }

  @Test(
    "a removal by state spares data that nobody used and nobody can fetch again; one by key does not",
    arguments: [QueryFilter.stale, .where { _ in true }, ["n"] && !.stale],
    [false, true]
  )
  func removalByState(_ filter: QueryFilter, isRead: Bool) throws {
    let draft = Query(key: key(1)).persisted(in: store)
    let former = QueryClient(simulation: simulation)
    former.setData(1, for: draft)
    former.setData(2, for: own(2))
    try save(former)
    former.shutDown()
    simulation.settle()

    let client = QueryClient(simulation: simulation)
    // The store is known from its first use on.
    _ = client.data(for: own(3))
    if isRead { simulation.settle() }
    client.remove(filter)
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    simulation.run { [client] in await client.reset(filter) }
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    simulation.run { [client] in await client.invalidate(filter) }
    expectEqual(client.data(for: draft), 1)
    expect(client.isStale(draft.staleTime(.hours(1))))
    client.remove(["n"])
    try save(client)
    expectEqual(kept, [])
    client.shutDown()
  }

  @Test(
    "a removal of what has no data spares what is still being read for it; one by key does not",
    arguments: [
      (.status(.pending), [1]), (.where { $0.status == .pending }, [1]), (["n"], []),
    ] as [(QueryFilter, [Int])],
    [false, true]
  )
  func removalWhileReading(_ removal: (filter: QueryFilter, left: [Int]), resets: Bool) throws {
    let draft = Query(key: key(1)).persisted(in: store)
    let former = QueryClient(simulation: simulation)
    former.setData(1, for: draft)
    try save(former)
    former.shutDown()
    simulation.settle()

    store.change { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(draft))
    simulation.settle()
    if resets {
      simulation.run { [client] in await client.reset(removal.filter) }
    } else {
      client.remove(removal.filter)
    }
    simulation.advance(by: .seconds(2))
    try save(client)
    expectEqual(kept, removal.left.map { #"Swift.Int["n",\#($0)] \#($0)"# })
    expectEqual(recording.values.last?.data, removal.left.first)
    recording.cancel()
    client.shutDown()
  }

  @Test(
    "a call by state reaches what is kept under the key of an entry that is not kept itself",
    arguments: [false, true]
  )
  func behindAPlainEntry(invalidates: Bool) throws {
    keep(1...1)
    let client = QueryClient(simulation: simulation)
    _ = client.data(for: own(2))
    simulation.settle()
    // Under the key alone, the entry has no store.
    client.setData(7, for: key(1))
    let filter: QueryFilter = ["n"] && .inactive
    if invalidates {
      simulation.run { [client] in await client.invalidate(filter) }
    } else {
      client.remove(filter)
    }
    try save(client)
    client.shutDown()
    simulation.settle()
    let next = QueryClient(simulation: simulation)
    expectNil(next.data(for: own(1)))
    simulation.settle()
    expectEqual(next.data(for: own(1)), invalidates ? 1 : nil)
    if invalidates { expect(next.isStale(own(1))) }
    next.shutDown()
  }

  // MARK: What comes late

  @Test("what a slow store brings does not show while a refetch hides newer data")
  func lateBesideHiddenData() throws {
    let key = QueryKey<[Int]>("list")
    let former = client()
    former.setData([0], for: key)
    simulation.settle()
    former.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(60) }
    let client = client()
    let query = Query<[Int]>.streamed("list", refetch: .reset) { [clock = simulation.clock] _ in
      AsyncThrowingStream {
        try await clock.sleep(for: .seconds(15))
        return nil as Int?
      }
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(20))
    client.setData([1], for: key)
    simulation.advance(by: .seconds(30))
    let refetch = simulation.task { [client] in await client.refetch(query) }
    simulation.advance(by: .seconds(30))
    refetch.cancel()
    let shown: [ResultSummary<[Int]>] = [
      .pending(), .pending(isFetching: true), .success([1], isFetching: true), .success([]),
      .pending(isFetching: true), .success([]),
    ]
    #expect(recording.summaries == shown)
    recording.cancel()
    client.shutDown()
  }

  @Test("a query's own initial data does not take the place of what its store still brings")
  func ownInitialData() {
    keep(1...1)
    let other = SlowStore(clock: simulation.clock)
    store.change { $0.loading = .seconds(2) }
    other.change { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation)
    let first = simulation.record(client.stream(own(1).initialData(5)))
    let second = simulation.record(client.stream(Query("other") { 0 }.persisted(in: other)))
    expectNil(client.result(for: own(1).initialData(5)).data)
    simulation.advance(by: .seconds(5))
    #expect(first.summaries == [.pending(), .success(1)])
    expectEqual(client.result(for: own(2).initialData(5)).data, 5)
    first.cancel()
    second.cancel()
    client.shutDown()
  }
}
