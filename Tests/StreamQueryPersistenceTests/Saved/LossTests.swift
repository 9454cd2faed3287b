import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// What must not be lost, and what must not come back.
struct LossTests: SlowStoreSuite {
  let simulation = Simulation(seed: 16)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func failures(_ events: ResultRecording<QueryEvent>) -> Int {
    events.values.count { if case .persistenceFailed = $0.kind { true } else { false } }
  }

  @Test("what changes during a write is kept when the client shuts down or is released then")
  func endDuringWrite() {
    for isReleased in [false, true] {
      var client: QueryClient? = self.client()
      simulation.settle()
      store.change { $0.writing = .milliseconds(100) }
      client?.setData(1, for: key(1))
      simulation.advance(by: .milliseconds(1_050))
      client?.setData(2, for: key(1))
      client?.setData(3, for: key(2))
      if !isReleased { client?.shutDown() }
      client = nil
      simulation.advance(by: .seconds(5))
      expectEqual(kept, [#"Swift.Int["n",1] 2"#, #"Swift.Int["n",2] 3"#])
      _ = store.memory.wipe(.main)
    }
  }

  @Test("a caller of save is answered although the client ends while a store fails")
  func saveAtTheEnd() {
    let client = client()
    simulation.settle()
    store.change {
      $0.writing = .milliseconds(100)
      $0.writeErrors = [.denied, .denied, .denied]
    }
    client.setData(1, for: key(1))
    let first = simulation.task { [client] in try await client.save() }
    simulation.advance(by: .milliseconds(50))
    client.setData(2, for: key(1))
    let second = simulation.task { [client] in try await client.save() }
    simulation.settle()
    client.shutDown()
    simulation.run {
      _ = await #expect(throws: QuerySaveError.self) { try await first.value }
      _ = await #expect(throws: QuerySaveError.self) { try await second.value }
    }
    expectEqual(store.batches.count, 2)
  }

  @Test("a value that expires before it is saved and is used again then is saved")
  func expiresUnsaved() throws {
    let client = client()
    client.setDefaults(QueryOptions(gcTime: .milliseconds(100)), for: ["n"])
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.advance(by: .milliseconds(200))
    expectEmpty(client.diagnostics())
    expectEqual(client.data(for: key(1)), 1)
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.shutDown()
  }

  @Test("a value that expires before it is saved and is removed then is gone")
  func removedUnsaved() throws {
    let client = client()
    client.setDefaults(QueryOptions(gcTime: .milliseconds(100)), for: ["n"])
    simulation.settle()
    client.setData(1, for: key(1))
    client.setData(2, for: key(2))
    simulation.advance(by: .milliseconds(200))
    expectEmpty(client.diagnostics())
    client.remove(.key(key(1)))
    expectNil(client.data(for: key(1)))
    expectEqual(client.data(for: key(2)), 2)
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept, [#"Swift.Int["n",2] 2"#])
    client.shutDown()
  }

  @Test("a value that expires before it is saved and is invalidated then is stale")
  func invalidatedUnsaved() throws {
    let client = client()
    client.setDefaults(QueryOptions(gcTime: .milliseconds(100)), for: ["n"])
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.advance(by: .milliseconds(200))
    simulation.run { [client] in await client.invalidate(["n"]) }
    let query = Query(key: key(1)) { 2 }.staleTime(.hours(1))
    expectEqual(client.result(for: query).data, 1)
    expect(client.result(for: query).isStale)
    client.shutDown()
    simulation.settle()
    let next = self.client()
    simulation.settle()
    expectEqual(next.result(for: query).data, 1)
    expect(next.result(for: query).isStale)
    next.shutDown()
  }

  @Test("save waits until the store is read, since nothing is written before")
  func saveWhileLoading() throws {
    store.change { $0.loading = .seconds(3) }
    let client = client()
    let events = simulation.record(client.events)
    client.setData(1, for: key(1))
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    simulation.advance(by: .minutes(1))
    expectEqual(failures(events), 0)
    client.shutDown()
  }

  @Test("save tells that a store was never read, and does not wait for ever")
  func saveToASilentStore() throws {
    store.change { $0.loading = .hours(100) }
    let client = client()
    client.setData(1, for: key(1))
    simulation.run { [client, simulation] in
      _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
      #expect(simulation.clock.now.offset <= .seconds(10))
    }
    client.shutDown()
  }

  @Test("save to a store that cannot be used throws once something has changed")
  func saveToAClosedStore() throws {
    store.change { $0.loadError = .inUse }
    let client = client()
    simulation.settle()
    // Nothing has changed yet.
    try simulation.run { [client] in try await client.save() }
    client.setData(1, for: key(1))
    simulation.run { [client] in
      _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
    }
    client.shutDown()
  }

  @Test("a write and an update of a query that is not used yet obey the query's own policy")
  func ownPolicy() throws {
    let client = QueryClient(simulation: simulation)
    let one = Query(key: key(1)).persisted(in: store)
    client.setData(1, for: one)
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.shutDown()
    simulation.settle()
    let next = QueryClient(simulation: simulation)
    // The store is read at the first use of a query.
    _ = next.data(for: Query(key: key(2)).persisted(in: store))
    simulation.settle()
    next.updateData(for: one) { $0 = ($0 ?? 100) + 1 }
    expectEqual(next.data(for: one), 2)
    try simulation.run { [next] in try await next.save() }
    expectEqual(kept, [#"Swift.Int["n",1] 2"#])
    next.shutDown()
  }

  @Test("a store that has no room for anything keeps what it has, and gets the rest when there is")
  func noRoom() {
    let client = client()
    simulation.settle()
    for number in 0..<10 { client.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(2))
    let events = simulation.record(client.events)
    store.change { $0.writeErrors = Array(repeating: .full, count: 6) }
    client.setData(99, for: key(99))
    simulation.advance(by: .seconds(2))
    expectEqual(kept.count, 10)
    simulation.advance(by: .minutes(2))
    expectEqual(kept.count, 11)
    expectEqual(store.batches.last?.puts.map(\.key), [#"query/Swift.Int["n",99]"#])
    expectEqual(failures(events), 1)
    client.shutDown()
  }

  @Test(
    "a store that is full for hours is told of once, tried once a minute, and loses half at most"
  )
  func fullForHours() throws {
    let client = client()
    simulation.settle()
    for number in 0..<20 { client.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(2))
    let events = simulation.record(client.events)
    store.change { $0.refuses = { _, _ in .full } }
    for number in 20..<40 {
      client.setData(number, for: key(number))
      simulation.advance(by: .minutes(6))
    }
    expectEqual(failures(events), 1)
    #expect(store.batches.count < 3 * 125)
    expectEqual(kept.count, 20)
    store.change { $0.refuses = nil }
    simulation.advance(by: .minutes(2))
    #expect(kept.count >= 11)
    #expect(kept.contains(#"Swift.Int["n",39] 39"#))
    store.change { $0.writeErrors = [.full] }
    client.setData(40, for: key(40))
    simulation.advance(by: .seconds(2))
    expectEqual(failures(events), 2)
    client.shutDown()
  }

  @Test("a value that is beyond the limit alone is left out, and the others stay")
  func tooLarge() {
    let client = client { $0.limit = StoreLimit(maxBytes: 1_000) }
    simulation.settle()
    client.setData(1, for: key(1))
    client.setData(String(repeating: "x", count: 2_000), for: "large" as QueryKey<String>)
    simulation.advance(by: .seconds(2))
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.shutDown()
  }

  @Test("what a slow store still brings is shown by queries that have no data by then")
  func late() {
    let former = client()
    simulation.settle()
    former.setData(1, for: key(1))
    former.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(60) }
    let offline = ManualSignal(false)
    let client = QueryClient(simulation: simulation) { [store, offline] in
      $0.connectivity = Connectivity { offline }
      $0.persistence = Persistence(in: store)
    }
    let fetch = ScriptedFetch<Int>(.value(2, after: .seconds(1)))
    let recording = simulation.record(
      client.stream(Query(key: key(1), fetch: fetch).networkMode(.online))
    )
    simulation.advance(by: .seconds(100))
    #expect(recording.summaries.last == .success(1, .paused))
    recording.cancel()
    client.shutDown()
  }

  @Test("a limit of time counts the time in which the store is read")
  func timeout() {
    store.change { $0.loading = .seconds(5) }
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(2, after: .seconds(1)))
    simulation.run { [client, simulation] in
      await #expect(throws: QueryError.self) {
        try await client.fetch(Query(key: ["n", 1], fetch: fetch), timeout: .seconds(2))
      }
      expectEqual(simulation.clock.now.offset, .seconds(2))
    }
    client.shutDown()
  }

  @Test("what was reset is not shown again")
  func reset() {
    let client = client()
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.advance(by: .seconds(2))
    simulation.run { [client] in await client.reset(key(1)) }
    expectNil(client.data(for: key(1)))
    client.shutDown()
  }

  @Test("a prefix with fields finds what was kept with more fields")
  func fields() {
    let former = client()
    let first: QueryKey<Int> = QueryKey("n", fields: ["kind": "a", "page": 2])
    let second: QueryKey<Int> = QueryKey("n", fields: ["kind": "b", "page": 2])
    simulation.settle()
    former.setData(1, for: first)
    former.setData(2, for: second)
    former.shutDown()
    simulation.settle()
    let client = client()
    simulation.settle()
    client.remove(.prefix("n", fields: ["kind": "a"]))
    expectNil(client.data(for: first))
    expectEqual(client.data(for: second), 2)
    client.shutDown()
  }

  @Test("a version of any length is a version")
  func longVersion() {
    let version = String(repeating: "é", count: 40_000)
    let former = client { $0.version = version }
    simulation.settle()
    former.setData(1, for: key(1))
    former.shutDown()
    simulation.settle()
    let client = client { $0.version = version }
    simulation.settle()
    expectEqual(client.data(for: key(1)), 1)
    client.shutDown()
  }

  @Test("an entry that began with an optimistic change is kept when it is written")
  func optimistic() throws {
    let client = client()
    simulation.settle()
    let wait = ScriptedFetch<Int>(.value(2, after: .seconds(10)))
    let mutation = Mutation<Void, Int>("raise") { try await wait() }
      .optimistic({ [key = key(1)] _ in Query(key: key) }) { value, _ in value = 100 }
    let run = simulation.task { [client] in try await client.mutate(mutation) }
    simulation.advance(by: .seconds(5))
    expectEqual(client.data(for: key(1)), 100)
    client.setData(7, for: key(1))
    simulation.advance(by: .seconds(10))
    _ = try simulation.run { try await run.value }
    simulation.advance(by: .seconds(10))
    expectEqual(kept, [#"Swift.Int["n",1] 7"#])
    client.shutDown()
  }

  @Test("two stores: what one brings changes nothing for queries of the other")
  func twoStores() {
    let other = SlowStore(clock: simulation.clock)
    store.change { $0.loading = .seconds(1) }
    other.change { $0.loading = .seconds(2) }
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(100)),
      .value(2, after: .milliseconds(100))
    )
    let first = Query(key: key(1), fetch: fetch).persisted(in: store)
    let second = Query(key: key(2), fetch: fetch).persisted(in: other)
    let one = simulation.record(client.stream(first))
    let two = simulation.record(client.stream(second))
    simulation.advance(by: .seconds(10))
    #expect(one.summaries == [.pending(), .pending(isFetching: true), .success(1)])
    #expect(two.summaries == [.pending(), .pending(isFetching: true), .success(2)])
    one.cancel()
    two.cancel()
    client.shutDown()
  }

  @Test("a list of persisted queries is restored at once")
  func list() {
    let former = client()
    simulation.settle()
    for number in 1...3 { former.setData(number, for: key(number)) }
    former.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(1) }
    let client = client()
    let queries = (1...3).map { Query(key: key($0)).staleTime(.hours(1)) }
    let recording = simulation.record(client.stream(all: queries))
    simulation.advance(by: .seconds(5))
    expectEqual(recording.values.map { $0.map(\.data) }, [[nil, nil, nil], [1, 2, 3]])
    recording.cancel()
    client.shutDown()
  }

  @Test("reading a query's cached data does not make its initial data")
  func initialData() {
    let client = client()
    simulation.settle()
    expectNil(client.data(for: Query(key: key(1)).initialData(5)))
    expectEmpty(client.diagnostics())
    client.shutDown()
  }

  @Test("odd durations and dates trap nowhere")
  func odd() throws {
    let client = client {
      $0.throttle = .seconds(Int64.max)
      $0.restoreTimeout = .seconds(Int64.max)
      $0.limit.maxRecords = .min
      $0.limit.maxBytes = .min
    }
    simulation.settle()
    store.change { $0.writeErrors = Array(repeating: .denied, count: 10) }
    client.setData(1, for: key(1))
    simulation.run { [client] in
      for _ in 0..<3 { try? await client.save() }
    }
    simulation.advance(by: .minutes(10))
    client.shutDown()
    simulation.settle()
  }

  @Test("an entry of a key alone is kept as soon as it is written to as a query that is kept")
  func plainBefore() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: key(1))
    client.setData(2, for: Query(key: key(1)).persisted(in: store))
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept, [#"Swift.Int["n",1] 2"#])
    client.shutDown()
  }

  @Test("a value that expires unsaved, is used again and invalidated then is kept as invalidated")
  func usedAndInvalidatedUnsaved() throws {
    let client = client()
    client.setDefaults(QueryOptions(gcTime: .milliseconds(100)), for: ["n"])
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.advance(by: .milliseconds(200))
    expectEqual(client.data(for: key(1)), 1)
    simulation.run { [client] in await client.invalidate(.key(key(1)) && .inactive) }
    client.shutDown()
    simulation.settle()
    let next = self.client()
    simulation.settle()
    expect(next.result(for: Query(key: key(1)) { 2 }.staleTime(.hours(1))).isStale)
    next.shutDown()
  }

  @Test("save does not acknowledge a removal while the records are still to come")
  func removedWhileLoading() {
    let former = client()
    simulation.settle()
    former.setData(1, for: key(1))
    former.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(60) }
    for clears in [true, false] {
      let client = client()
      if clears { client.clear() } else { client.remove(.key(key(1))) }
      simulation.run { [client] in
        _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
      }
      expectEqual(kept.count, 1)
      client.shutDown()
    }
  }

  @Test("what goes wrong with less to write is told as well, unless there is still no room")
  func otherErrorOfTheSecondTry() {
    let client = client()
    simulation.settle()
    let events = simulation.record(client.events)
    store.change { $0.writeErrors = [.full, .full, .denied] }
    for number in 0..<5 { client.setData(number, for: key(number)) }
    simulation.advance(by: .milliseconds(1_500))
    let told: [String] = events.values.compactMap {
      if case .persistenceFailed(let error) = $0.kind { "\(error)" } else { nil }
    }
    expectEqual(told, ["\(QueryStoreError.full)", "\(QueryStoreError.denied)"])
    client.shutDown()
  }
}
