import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What happens to kept data while it is decoded, which takes no lock: what another thread might do then, the coding does
/// here.
struct ChangedWhileDecodedTests: SlowStoreSuite {
  let simulation = Simulation(seed: 18)
  let store: SlowStore
  private let hook = Recorded<@Sendable () -> Void>()

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  /// A client of a store that keeps 1, ..., `count`.
  private func hooked(keeping count: Int = 1, limit: Int? = nil) -> QueryClient {
    let former = client()
    simulation.settle()
    for number in 1...count { former.setData(number, for: key(number)) }
    former.shutDown()
    simulation.settle()
    return QueryClient(simulation: simulation) { [store, hook] in
      var persistence = Persistence(in: store)
      persistence.coding = ArchiveCoding {
        try JSONEncoder().encode($0)
      } decode: { type, data in
        for action in hook.values { action() }
        return try JSONDecoder().decode(type, from: data)
      }
      $0.persistence = persistence
      if let limit { $0.limit = CacheLimit(maxEntries: limit) }
    }
  }

  /// Does something while the next value is decoded, once.
  private func next(_ action: @escaping @Sendable () -> Void) {
    hook.append { [hook] in
      hook.removeAll()
      action()
    }
  }

  private var query: Query<Int> { Query(key: key(1)) { 2 }.staleTime(.hours(1)) }

  enum Removal: CaseIterable {
    case remove, prefix, clear

    func perform(_ client: QueryClient, _ key: QueryKey<Int>) {
      switch self {
      case .remove: client.remove(key)
      case .clear: client.clear()
      case .prefix: client.remove(["n"])
      }
    }
  }

  @Test("what is removed does not come back", arguments: Removal.allCases)
  func removed(_ removal: Removal) {
    let client = hooked()
    simulation.settle()
    next { [client, key = key(1)] in removal.perform(client, key) }
    expectNil(client.data(for: key(1)))
    expectNil(client.data(for: key(1)))
    expectNil(client.result(for: query).data)
    client.shutDown()
    simulation.settle()
    expectEqual(kept, [])
  }

  @Test("a stream begins without what is removed", arguments: Removal.allCases, [false, true])
  func removedForAStream(_ removal: Removal, isDynamic: Bool) {
    let client = hooked()
    simulation.settle()
    next { [client, key = key(1)] in removal.perform(client, key) }
    let query = isDynamic ? query.enabled { _ in true } : query
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    #expect(recording.summaries.last == .success(2))
    #expect(!recording.summaries.contains(.success(1)))
    recording.cancel()
    client.shutDown()
  }

  @Test(
    "streams that waited for the store do not fetch what is removed before the next trigger: law 13",
    arguments: Removal.allCases
  )
  func removedForThoseThatWaited(_ removal: Removal) {
    let client = hooked(keeping: 2)
    store.change { $0.loading = .seconds(1) }
    let other = Query(key: key(2))
    let recordings = [query, other].map { simulation.record(client.stream($0)) }
    simulation.settle()
    next { [client, key = key(1)] in removal.perform(client, key) }
    simulation.advance(by: .seconds(2))
    expectNil(recordings[0].values.last?.data)
    expectEqual(recordings[0].values.last?.isFetching, false)
    expectEqual(recordings[1].values.last?.data, removal == .remove ? 2 : nil)
    simulation.task { [client, query] in await client.refetch(query) }
    simulation.settle()
    expectEqual(recordings[0].values.last?.data, 2)
    for recording in recordings { recording.cancel() }
    client.shutDown()
  }

  @Test(
    "a caller that waited for the store throws if its key is removed",
    arguments: Removal.allCases
  )
  func removedForACallerThatWaited(_ removal: Removal) {
    let client = hooked()
    store.change { $0.loading = .seconds(1) }
    let outcome = Recorded<String>()
    simulation.task { [client, query] in
      do {
        let value = try await client.fetch(query)
        outcome.append("\(value)")
      } catch { outcome.append(error is CancellationError ? "cancelled" : "\(error)") }
    }
    simulation.settle()
    next { [client, key = key(1)] in removal.perform(client, key) }
    simulation.advance(by: .seconds(2))
    expectEqual(outcome.values, ["cancelled"])
    expectNil(client.data(for: key(1)))
    client.shutDown()
  }

  @Test(
    "a page command that waited for the store fetches nothing if its key is removed",
    arguments: [false, true]
  )
  func removedForAPageCommandThatWaited(clears: Bool) {
    let calls = Notes<Int>()
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 0) { [calls] param in
      calls.add(param)
      return param * 10
    } nextPageParam: {
      $0.pages.count
    }
    let former = self.client()
    simulation.settle()
    former.setData(Pages(0, param: 0), for: feed)
    former.shutDown()
    simulation.settle()
    let client = hooked()
    store.change { $0.loading = .seconds(1) }
    simulation.task { [client] in _ = try? await client.fetchNextPage(of: feed) }
    simulation.settle()
    next { [client] in if clears { client.clear() } else { client.remove(feed) } }
    simulation.advance(by: .seconds(2))
    expectEmpty(calls.all)
    expectNil(client.data(for: feed)?.count)
    client.shutDown()
  }

  @Test("an update does not write again what is removed", arguments: Removal.allCases, [nil, 0])
  func removedForAnUpdate(_ removal: Removal, limit: Int?) {
    let client = hooked(limit: limit)
    simulation.settle()
    next { [client, key = key(1)] in removal.perform(client, key) }
    expectEqual(client.updateData(for: key(1)) { $0 = ($0 ?? 0) + 10 }, 10)
    client.shutDown()
  }

  @Test("an invalidation counts, in the next launch, too", arguments: [false, true])
  func invalidated(isStreamed: Bool) {
    let client = hooked()
    simulation.settle()
    next { [client, key = key(1)] in client.markInvalidated(.key(key)) }
    let query = query.enabled(false)
    let recording = isStreamed ? simulation.record(client.stream(query)) : nil
    simulation.settle()
    expectEqual(client.data(for: key(1)), 1)
    expect(client.isStale(query))
    recording?.cancel()
    client.shutDown()
    simulation.settle()
    let next = self.client()
    simulation.settle()
    expectEqual(next.data(for: key(1)), 1)
    expect(next.isStale(query))
    next.shutDown()
  }

  @Test("whoever always invalidates something else gets the data all the same, as invalidated")
  func alwaysInvalidated() {
    let client = hooked(keeping: 2)
    store.change { $0.loading = .seconds(1) }
    hook.append { [client, key = key(9)] in client.markInvalidated(.key(key)) }
    let recording = simulation.record(client.stream(query.enabled(false)))
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.last?.data, 1)
    expectEqual(client.data(for: key(2)), 2)
    expect(client.isStale(query))
    recording.cancel()
    // It holds the client, whose store holds it.
    hook.removeAll()
    client.shutDown()
  }

  @Test(
    "whoever always removes something else, or in an option, ends nothing",
    .timeLimit(.minutes(1))
  )
  func alwaysRemoved() {
    let client = hooked(keeping: 3)
    store.change { $0.loading = .seconds(1) }
    hook.append { [client, key = key(9)] in client.remove(key) }
    let removing = query.enabled { [client] _ in
      client.remove(["nothing"])
      return true
    }
    let other = Query(key: key(2)) { 4 }.enabled { [client] _ in
      client.remove(["nothing"])
      return true
    }
    let recordings = [removing, other].map { simulation.record(client.stream($0)) }
    simulation.advance(by: .seconds(2))
    // What nobody was able to place is fetched.
    expectEqual(recordings.map { $0.values.last?.data }, [2, 4])
    expectNil(client.data(for: key(3)))
    hook.removeAll()
    expectEqual(client.data(for: key(3)), 3)
    for recording in recordings { recording.cancel() }
    client.shutDown()
  }

  @Test("a removal of what has no data spares what is being decoded for it")
  func pendingRemoved() throws {
    let client = hooked(keeping: 2)
    store.change { $0.loading = .seconds(1) }
    let queries = [1, 2].map { Query(key: key($0)) }
    let recordings = queries.map { simulation.record(client.stream($0)) }
    simulation.settle()
    next { [client] in
      client.remove(.status(.pending))
    }
    simulation.advance(by: .seconds(2))
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#, #"Swift.Int["n",2] 2"#])
    expectEqual(recordings.map { $0.values.last?.data }, [1, 2])
    for recording in recordings { recording.cancel() }
    client.shutDown()
  }

  @Test("whoever asks while another one places the data gets it")
  func placedMeanwhile() {
    let client = hooked()
    simulation.settle()
    next { [client, one = key(1), other = key(9)] in
      _ = client.data(for: one)
      client.markInvalidated(.key(other))
    }
    expectEqual(client.data(for: key(1)), 1)
    client.shutDown()
  }
}
