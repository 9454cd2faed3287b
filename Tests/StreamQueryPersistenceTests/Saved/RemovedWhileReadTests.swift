import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Removals and invalidations of entries that have no data because their store is still read.
struct RemovedWhileReadTests: SlowStoreSuite {
  let simulation = Simulation(seed: 31)
  let store: SlowStore
  private let online = ManualSignal(true)

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  /// A query that is kept without a limit of age, and whose fetch takes long.
  private var query: Query<Int> {
    Query(key: key(1)) { [clock = simulation.clock] in
      try await clock.sleep(for: .seconds(100))
      return 7
    }
    .staleTime(.hours(1))
    .persisted(in: store, maxAge: Persistence.unlimited)
  }

  /// Keeps a number, as a former launch did, and begins another launch.
  private func launched(loading: Duration) throws -> QueryClient {
    let former = QueryClient(simulation: simulation)
    former.setData(1, for: query)
    try simulation.run { try await former.save() }
    former.shutDown()
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    store.change { $0.loading = loading }
    return QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
    }
  }

  @Test("data for an observed query that waits no longer stays, if what nobody observes is removed")
  func waitsNoLonger() throws {
    let client = try launched(loading: .seconds(60))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(20))
    #expect(recording.summaries == [.pending(), .pending(isFetching: true)])
    client.remove(.inactive)
    simulation.advance(by: .seconds(50))
    expectEqual(recording.values.last?.data, 1)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    recording.cancel()
    client.shutDown()
  }

  @Test("so does data for an observed query that waits for its store")
  func waits() throws {
    let client = try launched(loading: .seconds(5))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    client.remove(.inactive)
    simulation.advance(by: .seconds(7))
    #expect(recording.summaries == [.pending(), .success(1)])
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    recording.cancel()
    client.shutDown()
  }

  @Test("a refetch of what is observed reaches a query that waits for its store")
  func refetched() throws {
    let client = try launched(loading: .seconds(5))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let refetch = simulation.task { [client] in await client.refetch(.active) }
    simulation.advance(by: .seconds(6))
    expectEqual(recording.values.last?.data, 1)
    expectEqual(recording.values.last?.isFetching, true)
    simulation.advance(by: .seconds(100))
    expectEqual(recording.values.last?.data, 7)
    simulation.run { await refetch.value }
    recording.cancel()
    client.shutDown()
  }

  @Test(
    "data for an observed query goes if what is observed is removed before the store is read",
    arguments: [false, true],
    [false, true]
  )
  func observed(isReset: Bool, waitsNoLonger: Bool) throws {
    let client = try launched(loading: .seconds(60))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    if waitsNoLonger { simulation.advance(by: .seconds(20)) }
    if isReset {
      simulation.task { [client] in await client.reset(.active) }
      simulation.settle()
    } else {
      client.remove(.active)
    }
    simulation.advance(by: .seconds(75))
    expectNil(recording.values.last?.data)
    expectEmpty(kept)
    recording.cancel()
    client.shutDown()
  }

  enum Selection: CaseIterable {
    case active, predicate, activePredicate, inactive

    var filter: QueryFilter {
      switch self {
      case .active: .active
      case .predicate: .where { _ in true }
      case .activePredicate: .active && .where { _ in true }
      case .inactive: .inactive
      }
    }
  }

  /// The entry is in the cache without data that could keep the mark, and ends with its client.
  @Test(
    "data stays invalidated for the next launch if its store is read after the call, however it was selected",
    arguments: Selection.allCases,
    [false, true]
  )
  func invalidated(by selection: Selection, waitsNoLonger: Bool) throws {
    let client = try launched(loading: .seconds(60))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    if waitsNoLonger { simulation.advance(by: .seconds(20)) }
    if selection == .inactive { recording.cancel() }
    simulation.settle()
    client.markInvalidated(selection.filter)
    simulation.settle()
    recording.cancel()
    client.shutDown()
    simulation.advance(by: .seconds(75))
    store.change { $0.loading = .zero }
    let next = QueryClient(simulation: simulation)
    let later = simulation.record(next.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(later.values.last?.data, 1)
    expectEqual(later.values.last?.isFetching, true)
    later.cancel()
    next.shutDown()
  }

  @Test("data for a query that nobody observes any more goes")
  func nobodyWaits() throws {
    let client = try launched(loading: .seconds(5))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    recording.cancel()
    simulation.settle()
    client.remove(.inactive)
    // The store is read once more for the removal, before it is written.
    simulation.advance(by: .seconds(12))
    expectNil(client.data(for: query))
    expectEmpty(kept)
    client.shutDown()
  }

  @Test(
    "what was asked for before the removal is not fetched when the store is read: law 13",
    arguments: [false, true]
  )
  func removedForThoseThatWait(clears: Bool) throws {
    let client = try launched(loading: .seconds(5))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    let refetch = simulation.task { [client] in await client.refetch(.active) }
    simulation.advance(by: .seconds(1))
    if clears { client.clear() } else { client.remove(query) }
    simulation.advance(by: .seconds(20))
    expectEqual(recording.values.last?.isFetching, false)
    expectNil(recording.values.last?.data)
    expectEqual(recording.values.last?.isEnabled, true)
    simulation.run { await refetch.value }
    // The next trigger is a reason again.
    simulation.task { [client, query] in await client.refetch(query) }
    simulation.advance(by: .seconds(110))
    expectEqual(recording.values.last?.data, 7)
    recording.cancel()
    client.shutDown()
  }

  enum Removal: CaseIterable {
    case clear, all, key, prefix, other, inUse
  }

  /// A removal of other keys, or of what is observed, does not concern the caller.
  @Test(
    "a caller that waits for the store throws if its key is removed",
    arguments: Removal.allCases
  )
  func callersThatWait(_ removal: Removal) throws {
    let client = try launched(loading: .seconds(5))
    let fetch = ScriptedFetch<Int>(.value(7, after: .milliseconds(10)))
    let query = Query(key: key(1), fetch: fetch)
      .persisted(in: store, maxAge: Persistence.unlimited)
    let outcomes = Notes<String>()
    for timeout: Duration? in [nil, .seconds(60)] {
      simulation.task { [client] in
        do {
          let value = try await client.fetch(query, timeout: timeout)
          outcomes.add("\(value)")
        } catch { outcomes.add(error is CancellationError ? "cancelled" : "\(error)") }
      }
    }
    simulation.advance(by: .seconds(1))
    switch removal {
    case .clear: client.clear()
    case .all: client.remove(.all)
    case .key: client.remove(query)
    case .prefix: client.remove(["n"])
    case .other: client.remove(key(2))
    case .inUse: client.remove(.active)
    }
    simulation.advance(by: .seconds(20))
    let stays = removal == .other || removal == .inUse
    expectEqual(outcomes.all, stays ? ["7", "7"] : ["cancelled", "cancelled"])
    expectEqual(fetch.callCount, stays ? 1 : 0)
    expectEqual(client.data(for: query), stays ? 7 : nil)
    client.shutDown()
  }

  @Test("such a caller throws at once, however long the store takes", arguments: [false, true])
  func callersDoNotWaitOn(clears: Bool) throws {
    let client = try launched(loading: .seconds(3_600))
    let outcomes = Notes<String>()
    for timeout: Duration? in [nil, .seconds(60)] {
      simulation.task { [client, query] in
        do {
          let value = try await client.fetch(query, timeout: timeout)
          outcomes.add("\(value)")
        } catch { outcomes.add(error is CancellationError ? "cancelled" : "\(error)") }
      }
    }
    simulation.advance(by: .seconds(1))
    expectEmpty(outcomes.all)
    if clears { client.clear() } else { client.remove(query) }
    simulation.settle()
    expectEqual(outcomes.all, ["cancelled", "cancelled"])
    client.shutDown()
    simulation.advance(by: .seconds(7_200))
  }

  @Test("a caller that waits for the store throws at once if its query is cancelled")
  func cancelled() throws {
    let client = try launched(loading: .seconds(5))
    let fetch = ScriptedFetch<Int>(.value(7))
    let outcomes = Notes<String>()
    for number in [3, 4] {
      let query = Query(key: key(number), fetch: fetch).persisted(in: store)
      simulation.task { [client] in
        do {
          let value = try await client.fetch(query)
          outcomes.add("\(value)")
        } catch { outcomes.add(error is CancellationError ? "cancelled" : "\(error)") }
      }
    }
    simulation.settle()
    client.cancel(key(3))
    simulation.settle()
    expectEqual(outcomes.all, ["cancelled"])
    simulation.advance(by: .seconds(20))
    expectEqual(outcomes.all, ["cancelled", "7"])
    expectEqual(fetch.callCount, 1)
    client.shutDown()
  }

  private enum Owner: QueryMetaKey { static let defaultValue = "" }

  @Test("a removal by metadata finds a caller and an update that wait for the store")
  func foundByMetadata() throws {
    let client = try launched(loading: .seconds(5))
    let fetch = ScriptedFetch<Int>(.value(7))
    let query = Query(key: key(3), fetch: fetch).persisted(in: store).meta(Owner.self, "ada")
    let outcomes = Notes<String>()
    simulation.task { [client] in
      do {
        let value = try await client.fetch(query)
        outcomes.add("\(value)")
      } catch { outcomes.add(error is CancellationError ? "cancelled" : "\(error)") }
    }
    simulation.settle()
    client.updateData(for: query) { $0 = 5 }
    client.remove(.where { $0.meta[Owner.self] == "ada" })
    simulation.advance(by: .seconds(20))
    expectEqual(outcomes.all, ["cancelled"])
    expectNil(client.data(for: query))
    expectEqual(fetch.callCount, 0)
    client.shutDown()
  }

  @Test("so it does if the newest update of the key names no query")
  func foundByMetadataOfAFormerUpdate() throws {
    let client = try launched(loading: .seconds(5))
    let query = Query<Int>(key: key(3)) { 7 }.persisted(in: store).meta(Owner.self, "ada")
    client.updateData(for: query) { $0 = 5 }
    client.updateData(for: key(3)) { $0 = ($0 ?? 0) + 1 }
    expectNil(client.data(for: key(3)))
    client.remove(.where { $0.meta[Owner.self] == "ada" })
    simulation.advance(by: .seconds(20))
    expectNil(client.data(for: key(3)))
    client.shutDown()
  }

  @Test("a caller that comes after the removal fetches when the store is read")
  func callersThatComeLater() throws {
    let client = try launched(loading: .seconds(5))
    let fetch = ScriptedFetch<Int>(.value(7, after: .milliseconds(10)))
    let query = Query(key: key(1), fetch: fetch)
      .persisted(in: store, maxAge: Persistence.unlimited)
    expectNil(client.data(for: query))
    client.clear()
    let caller = simulation.task { [client] in try await client.fetch(query) }
    simulation.advance(by: .seconds(20))
    try expectEqual(simulation.run { try await caller.value }, 7)
    client.shutDown()
  }

  enum Trigger: CaseIterable {
    case stream, refetch, reconnect
  }

  @Test("what is asked for after the removal is fetched then", arguments: Trigger.allCases)
  func askedForAfterTheRemoval(_ trigger: Trigger) throws {
    let client = try launched(loading: .seconds(5))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    client.clear()
    simulation.advance(by: .seconds(1))
    var later: ResultRecording<QueryResult<Int>>?
    switch trigger {
    case .stream: later = simulation.record(client.stream(query))
    case .refetch: simulation.task { [client] in await client.refetch(.active) }
    case .reconnect:
      online.send(false)
      simulation.settle()
      online.send(true)
    }
    simulation.advance(by: .seconds(110))
    expectEqual(recording.values.last?.data, 7)
    later?.cancel()
    recording.cancel()
    client.shutDown()
  }

  /// As at a logout, which turns observers off and removes everything, and the next login.
  @Test("what an observer asks for that is turned on after the removal is fetched then")
  func turnedOnAfterTheRemoval() throws {
    let client = try launched(loading: .seconds(5))
    let observer = client.observer(of: query, options: ObserverOptions(enabled: false))
    simulation.advance(by: .seconds(1))
    client.remove(query)
    simulation.advance(by: .seconds(1))
    observer.update(options: ObserverOptions(enabled: true))
    simulation.advance(by: .seconds(110))
    expectEqual(observer.result.data, 7)
    withExtendedLifetime(observer) {}
    client.shutDown()
  }

  @Test("what an observer asks for that is turned on before the removal is not")
  func turnedOnBeforeTheRemoval() throws {
    let client = try launched(loading: .seconds(5))
    let observer = client.observer(of: query, options: ObserverOptions(enabled: false))
    simulation.advance(by: .seconds(1))
    observer.update(options: ObserverOptions(enabled: true))
    simulation.advance(by: .seconds(1))
    client.remove(query)
    simulation.advance(by: .seconds(110))
    expectNil(observer.result.data)
    expectEqual(observer.result.isFetching, false)
    withExtendedLifetime(observer) {}
    client.shutDown()
  }

  @Test("nor is what an observer shows whose interval changes after the removal")
  func slowedDownAfterTheRemoval() throws {
    let client = try launched(loading: .seconds(5))
    let observer = client.observer(of: query)
    simulation.advance(by: .seconds(1))
    client.remove(query)
    observer.update(options: ObserverOptions(refetchInterval: .hours(1)))
    simulation.advance(by: .seconds(110))
    expectNil(observer.result.data)
    expectEqual(observer.result.isFetching, false)
    withExtendedLifetime(observer) {}
    client.shutDown()
  }
}
