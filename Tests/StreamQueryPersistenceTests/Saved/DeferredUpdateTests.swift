import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Updates of what a store still has to bring.
struct DeferredUpdateTests: SlowStoreSuite {
  let simulation = Simulation(seed: 27)
  let store: SlowStore
  private let misuses = Recorded<QueryMisuse>()

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  /// A client of a store that keeps 1 and takes a while to be read.
  private func late(_ loading: Duration = .seconds(1), keeping: Bool = true) -> QueryClient {
    if keeping {
      let former = client()
      former.setData(1, for: key(1))
      simulation.advance(by: .seconds(2))
      former.shutDown()
      simulation.settle()
    }
    store.change { $0.loading = loading }
    return QueryClient(simulation: simulation) { [store, misuses] in
      $0.persistence = Persistence(in: store)
      $0.onMisuse = { misuses.append($0) }
    }
  }

  private func raise(_ client: QueryClient, by number: Int = 10, fencing: Bool = false) {
    client.updateData(for: key(1), fencing: fencing) { $0 = ($0 ?? 100) * number + number }
  }

  @Test("they run on what is kept, in their order, before anybody sees it")
  func order() {
    let client = late()
    let recording = simulation.record(client.stream(Query(key: key(1)).staleTime(.hours(1))))
    simulation.settle()
    expectNil(client.updateData(for: key(1)) { $0 = ($0 ?? 100) + 1 })
    raise(client, by: 3)
    expectNil(client.data(for: key(1)))
    expect(client.result(for: key(1)).isRestoring)
    simulation.advance(by: .seconds(3))
    // (1 + 1) * 3 + 3
    #expect(recording.summaries == [.pending(), .success(9)])
    expectEqual(recording.values.map(\.isRestoring), [true, false])
    expectEmpty(misuses.values)
    expectEqual(kept, [#"Swift.Int["n",1] 9"#])
    // Nothing else was written meanwhile.
    expectEqual(store.batches.count, 2)
    recording.cancel()
    client.shutDown()
  }

  @Test("observers fetch after them, if at all, also with options that depend on the data")
  func beforeFetches() {
    for isDynamic in [false, true] {
      store.change { $0.loading = .zero }
      let client = late()
      let fetch = ScriptedFetch<Int>(.value(7))
      let plain = Query(key: key(1), fetch: fetch).staleTime(.seconds(2))
      let query = isDynamic ? plain.enabled { _ in true } : plain
      let recording = simulation.record(client.stream(query))
      simulation.settle()
      raise(client)
      // What is kept is stale when it is read; what the update makes of it is new.
      simulation.advance(by: .milliseconds(1_500))
      expectEqual(client.data(for: key(1)), 20)
      expectEqual(fetch.callCount, 0, "\(isDynamic)")
      expectEqual(recording.values.last?.isRestoring, false)
      recording.cancel()
      client.shutDown()
      simulation.settle()
    }
  }

  @Test("without anything kept, or with a store that is given up, they begin with nothing")
  func nothingKept() {
    let client = late(keeping: false)
    raise(client)
    simulation.advance(by: .seconds(2))
    expectEqual(client.data(for: key(1)), 1_010)
    client.shutDown()
    simulation.settle()
    store.change { $0.loadError = .inUse }
    let other = late(keeping: false)
    other.updateData(for: key(2)) { $0 = ($0 ?? 0) + 1 }
    simulation.advance(by: .seconds(2))
    expectEqual(other.data(for: key(2)), 1)
    other.shutDown()
  }

  @Test("a default is what they begin with only if nothing is kept")
  func defaulted() {
    let client = late()
    let (one, two) = (Query(key: key(1)).defaulting(to: 7), Query(key: key(2)).defaulting(to: 7))
    for query in [one, two] { expectNil(client.updateData(for: query) { $0 += 1 }) }
    simulation.advance(by: .seconds(2))
    expectEqual(client.data(for: one), 2)
    expectEqual(client.data(for: two), 8)
    expectEqual(client.diagnostics(.key(key(1))).map(\.isInvalidated), [false])
    expectEqual(client.diagnostics(.key(key(2))).map(\.isInvalidated), [true])
    client.shutDown()
  }

  @Test("save waits for them")
  func saved() throws {
    let client = late()
    raise(client)
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept, [#"Swift.Int["n",1] 20"#])
    client.shutDown()
  }

  @Test(
    "save tells that they are not written while their store is not read",
    arguments: [false, true]
  )
  func notSaved(isSilent: Bool) throws {
    let client = late(isSilent ? .hours(100) : .zero)
    if !isSilent { store.change { $0.loadError = .denied } }
    raise(client)
    simulation.run { [client] in
      _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
    }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    if !isSilent {
      store.change { $0.loadError = nil }
      simulation.advance(by: .minutes(2))
      try simulation.run { [client] in try await client.save() }
      expectEqual(kept, [#"Swift.Int["n",1] 20"#])
    }
    client.shutDown()
  }

  enum Later: CaseIterable {
    case remove, prefix, reset, clear, write
  }

  @Test("what happens to the key afterwards counts as later", arguments: Later.allCases)
  func later(_ later: Later) {
    let client = late()
    raise(client)
    switch later {
    case .remove: client.remove(key(1))
    case .prefix: client.remove(["n"])
    case .reset: simulation.run { [client, key = key(1)] in await client.reset(key) }
    case .clear: client.clear()
    case .write: client.setData(5, for: key(1))
    }
    simulation.advance(by: .seconds(3))
    expectEqual(client.data(for: key(1)), later == .write ? 5 : nil)
    expectEqual(kept, later == .write ? [#"Swift.Int["n",1] 5"#] : [])
    client.shutDown()
  }

  @Test("an update after a removal begins with nothing")
  func afterRemoval() {
    let client = late()
    raise(client)
    client.remove(key(1))
    client.updateData(for: key(1)) { $0 = ($0 ?? 100) + 1 }
    simulation.advance(by: .seconds(3))
    expectEqual(client.data(for: key(1)), 101)
    client.shutDown()
  }

  @Test("an invalidation afterwards marks what they write, and one before does not")
  func invalidated() {
    for isAfter in [false, true] {
      _ = store.memory.wipe(.main)
      let client = late()
      let query = Query(key: key(1)).staleTime(.hours(1))
      if !isAfter { client.markInvalidated(["n"]) }
      raise(client)
      if isAfter { client.markInvalidated(["n"]) }
      simulation.advance(by: .seconds(3))
      expectEqual(client.data(for: key(1)), 20)
      expectEqual(client.isStale(query), isAfter)
      client.shutDown()
      simulation.settle()
      store.change { $0.loading = .zero }
    }
  }

  enum Between: CaseIterable {
    case nothing, mark, remove, prefix
  }

  @Test("what happens to the key while one is made counts as later", arguments: Between.allCases)
  func whileMade(_ between: Between) {
    let client = late()
    let query = Query(key: key(1)).staleTime(.hours(1))
    client.updateData(for: key(1)) { [client, key = key(1)] value in
      value = (value ?? 100) + 1
      switch between {
      case .nothing: break
      case .mark: client.markInvalidated(.key(key))
      case .remove: client.remove(key)
      case .prefix: client.remove(["n"])
      }
    }
    simulation.advance(by: .seconds(3))
    let isGone = between == .remove || between == .prefix
    expectEqual(client.data(for: key(1)), isGone ? nil : 2)
    expectEqual(client.isStale(query), between != .nothing)
    client.updateData(for: key(1)) { $0 = ($0 ?? 100) + 1 }
    expectEqual(client.data(for: key(1)), isGone ? 101 : 3)
    client.shutDown()
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] \#(isGone ? 101 : 3)"#])
  }

  @Test("an answer that comes before the store is read replaces them, unless they keep it out")
  func answerFirst() {
    for fencing in [false, true] {
      _ = store.memory.wipe(.main)
      let client = late(.seconds(20))
      raise(client, fencing: fencing)
      let fetched = simulation.task { [client, key = key(1)] in
        try await client.fetch(Query(key: key) { 7 }.staleTime(.hours(1)))
      }
      simulation.advance(by: .seconds(15))
      expectEqual(client.data(for: key(1)), 7)
      simulation.advance(by: .seconds(15))
      expectEqual(client.data(for: key(1)), fencing ? 80 : 7)
      fetched.cancel()
      client.shutDown()
      simulation.settle()
      store.change { $0.loading = .zero }
    }
  }

  @Test("a store that takes longer than queries wait does not lose what it keeps")
  func slowStore() {
    let client = late(.seconds(20))
    simulation.advance(by: .seconds(15))
    raise(client)
    simulation.advance(by: .seconds(10))
    expectEqual(client.data(for: key(1)), 20)
    client.shutDown()
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] 20"#])
  }

  @Test("one that throws then writes nothing, and the others are made")
  func throwing() {
    let client = late()
    #expect(throws: Never.self) {
      try client.updateData(for: key(1)) { _ in throw Boom(1) }
    }
    raise(client)
    simulation.advance(by: .seconds(2))
    expectEqual(client.data(for: key(1)), 20)
    client.shutDown()
  }

  @Test("an update by a filter waits for those of its entries whose store is being read")
  func byFilter() {
    let client = late()
    let recording = simulation.record(client.stream(Query(key: key(1))))
    simulation.settle()
    client.setData(7, for: key(2))
    raise(client)
    let count = client.updateData(matching: ["n"], of: Int.self) { key, value in
      value = (value ?? 100) + (key == self.key(1) ? 5 : 1)
    }
    expectEqual(count, 1)
    expectEqual(client.data(for: key(2)), 8)
    simulation.advance(by: .seconds(2))
    #expect(recording.summaries == [.pending(), .success(25)])
    expectEmpty(misuses.values)
    recording.cancel()
    client.shutDown()
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] 25"#, #"Swift.Int["n",2] 8"#])
  }

  @Test("an update comes behind earlier ones that still wait although the store has been read")
  func behindEarlierOnes() throws {
    // What cannot be read is told before the updates are made.
    let batch = StoreBatch(
      generation: store.memory.load(.main).generation,
      puts: [StoreRecord(key: "query/broken", value: Data([1]))]
    )
    try store.memory.write(batch, to: .main)
    let former = client()
    former.setData(1, for: key(1))
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.settle()
    try store.memory.write(batch, to: .main)
    store.change { $0.loading = .seconds(1) }
    let told = Dial(0)
    let reader = Dial<QueryClient?>(nil)
    let client = QueryClient(simulation: simulation) { [store, key = key(1)] in
      $0.persistence = Persistence(in: store)
      $0.onEvent = { event in
        guard case .persistenceFailed = event.kind else { return }
        told.with { $0 += 1 }
        reader.value?.updateData(for: key) { $0 = ($0 ?? 100) * 2 }
      }
    }
    reader.with { $0 = client }
    raise(client)
    simulation.advance(by: .seconds(2))
    expectEqual(told.value, 1)
    // (1 * 10 + 10) * 2
    expectEqual(client.data(for: key(1)), 40)
    reader.with { $0 = nil }
    client.shutDown()
  }

  enum End: CaseIterable { case shutDown, released }

  @Test(
    "they are made and kept although their client ends before the store is read",
    arguments: End.allCases
  )
  func ended(_ end: End) throws {
    var client: QueryClient? = late()
    let query = Query(key: key(2)).defaulting(to: 3)
    client.map { raise($0) }
    client?.updateData(for: key(1)) { $0 = ($0 ?? 100) + 1 }
    client?.updateData(for: query) { $0 += 1 }
    try client?.updateData(for: key(3)) { _ in throw Boom(1) }
    client?.markInvalidated(.key(key(1)))
    client?.updateData(for: key(4)) { $0 = ($0 ?? 0) + 1 }
    client?.remove(key(4))
    if end == .shutDown { client?.shutDown() }
    client = nil
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    simulation.advance(by: .seconds(2))
    expectEqual(kept, [#"Swift.Int["n",1] 21"#, #"Swift.Int["n",2] 4"#])
    store.change { $0.loading = .zero }
    let next = self.client()
    try simulation.run { try await next.restore() }
    expectEqual(next.data(for: key(1)), 21)
    expectEqual(next.diagnostics(.key(key(1))).map(\.isInvalidated), [true])
    next.shutDown()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test("one that is being made when the client ends is made once more, of what is kept")
  func endedMeanwhile() {
    let client = late()
    let runs = Recorded<Int?>()
    client.updateData(for: key(1)) { [client] value in
      runs.append(value)
      client.shutDown()
      value = (value ?? 100) + 1
    }
    raise(client)
    simulation.advance(by: .seconds(3))
    expectEqual(runs.values, [1, 1])
    // (1 + 1) * 10 + 10
    expectEqual(kept, [#"Swift.Int["n",1] 30"#])
    client.shutDown()
  }

  @Test("an answer that came before the end replaces them, and a save says that they are missing")
  func answeredAtTheEnd() throws {
    let client = late(.seconds(20))
    raise(client)
    raise(client, fencing: true)
    let fetched = simulation.task { [client, key = key(1)] in
      try await client.fetch(Query(key: key) { 7 })
    }
    simulation.advance(by: .seconds(15))
    expectEqual(client.data(for: key(1)), 7)
    fetched.cancel()
    client.shutDown()
    #expect(throws: QuerySaveError.self) { try simulation.run { try await client.save() } }
    simulation.advance(by: .seconds(10))
    expectEqual(kept, [#"Swift.Int["n",1] 80"#])
  }

  @Test("an archive that waits is compared and kept although the client ends", arguments: [0, 9])
  func archiveAtTheEnd(_ age: Int) {
    let other = QueryClient(simulation: simulation)
    let client = late()
    let date = simulation.date.addingTimeInterval(-Double(age))
    other.setData(6, for: key(1), updatedAt: date)
    client.import(other.export().archive, for: [.query(Query(key: key(1)))])
    client.shutDown()
    simulation.advance(by: .seconds(2))
    expectEqual(kept, [age == 0 ? #"Swift.Int["n",1] 6"# : #"Swift.Int["n",1] 1"#])
  }

  @Test("an account that ends drops them")
  func erased() {
    let client = late()
    raise(client)
    client.erase()
    simulation.advance(by: .seconds(2))
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
  }

  @Test("the update of a run replaces its optimistic change, although it waits")
  func ofRun() {
    let client = late()
    let key = key(1)
    let mutation = Mutation<Int, Int>("add") { $0 }
      .optimistic { number, changes in changes.update(key) { $0 = ($0 ?? 0) + number } }
      .onSuccess { number, context in
        context.client.updateData(for: key) { $0 = ($0 ?? 100) + number }
      }
      .onSettled { _, _ in try? await Scheduling.current.clock.sleep(for: .seconds(5)) }
    let recording = simulation.record(client.stream(Query(key: key)))
    simulation.start(mutation, with: 10, on: client)
    simulation.advance(by: .seconds(3))
    expectEqual(client.data(for: key), 11)
    expectEqual(recording.values.last?.data, 11)
    expectEqual(recording.values.last?.isOptimistic, false)
    recording.cancel()
    client.shutDown()
  }

  // MARK: The value

  private func write(_ number: Int, survivesData: Bool = false) -> DeferredWrites.Write {
    DeferredWrites.Write(
      of: EntryKey(key(number)),
      QueryDefinition(of: Int.self),
      survivesData: survivesData,
      job: nil,
      change: { $0 },
      perform: { _ in }
    )
  }

  @Test("no more than ten thousand wait: the oldest gives way")
  func bound() {
    var writes = DeferredWrites()
    var givenUp: [EntryKey] = []
    for number in 0...DeferredWrites.limit {
      if let oldest = writes.enqueue(write(number)) { givenUp.append(oldest.key) }
    }
    expectEqual(givenUp, [EntryKey(key(0))])
    expectEqual(writes.keys.count, DeferredWrites.limit)
    let dropped = writes.drop([EntryKey(key(0))]).count
    expectEqual(dropped, 0)
    expectEqual(writes.inOrder(writes.keys.keys).first, EntryKey(key(1)))
  }

  @Test("only one makes them at a time, and begins anew if somebody asked meanwhile")
  func oneAtATime() {
    var writes = DeferredWrites()
    let begins = [writes.beginNext(), writes.beginNext()]
    expectEqual(begins, [true, false])
    let rounds = [writes.goesOn(), writes.goesOn()]
    expectEqual(rounds, [true, false])
    let again = writes.beginNext()
    expect(again)
  }

  @Test("one that is being made knows what happens to its key, until it was made")
  func present() {
    var writes = DeferredWrites()
    let key = EntryKey(key(1))
    for _ in 1...3 { _ = writes.enqueue(write(1)) }
    _ = writes.beginNext()
    _ = writes.next(of: key)
    expect(writes.isMaking(key))
    writes.mark([key])
    let first = [writes.made()?.isInvalidated, writes.made()?.isInvalidated]
    expectEqual(first, [true, nil])
    expect(!writes.isMaking(key))
    // Those behind it were marked, too.
    _ = writes.next(of: key)
    let second = writes.made()?.isInvalidated
    expectEqual(second, true)
    _ = writes.next(of: key)
    _ = writes.drop([key])
    let third = writes.made()?.isInvalidated
    expectNil(third)
    expect(writes.isEmpty)
  }

  @Test("the end takes the one that is being made, unless it has landed", arguments: [false, true])
  func last(hasLanded: Bool) {
    var writes = DeferredWrites()
    let key = EntryKey(key(1))
    for _ in 1...2 { _ = writes.enqueue(write(1)) }
    _ = writes.beginNext()
    _ = writes.next(of: key)
    if hasLanded { writes.writeLanded() }
    let count = writes.takeLast().count
    expectEqual(count, hasLanded ? 1 : 2)
    expectEqual(writes.isMaking(key), hasLanded)
  }

  @Test("data drops those that do not compare themselves, unless it is of one of them")
  func dropped() {
    var writes = DeferredWrites()
    for survives in [false, true, false] { _ = writes.enqueue(write(1, survivesData: survives)) }
    let key = EntryKey(key(1))
    let dropped = writes.drop(answered: [key]).map(\.survivesData)
    expectEqual(dropped, [false, false])
    _ = writes.beginNext()
    let first = writes.next(of: key)?.survivesData
    expectEqual(first, true)
    expect(writes.holds(key))
    _ = writes.enqueue(write(1))
    expectEmpty(writes.drop(answered: [key]))
    let rest = [writes.next(of: key)?.survivesData, writes.next(of: key)?.survivesData]
    expectEqual(rest, [false, nil])
    expect(!writes.holds(key))
    expect(writes.isEmpty)
  }
}
