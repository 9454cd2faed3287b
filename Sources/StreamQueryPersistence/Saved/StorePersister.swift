@_spi(Adapters) internal import StreamQuery
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Restores and saves the entries of one client.
///
/// ``SavedRecords`` and ``StoreWriter`` make the decisions, and this object carries them out.
/// Encoding and decoding are user code, and run outside of locks.
final class StorePersister: Persister, StoreWorker {
  /// A store and one of its partitions.
  struct StoreID: Hashable {
    let store: ObjectIdentifier
    let partition: StorePartition

    /// - Parameters:
    ///   - settings: The policy with the store, and with the partition if that is not the client's.
    ///   - partition: The partition of the client.
    init(_ settings: Persistence, of partition: StorePartition) {
      store = ObjectIdentifier(settings.store)
      self.partition = settings.partition ?? partition
    }
  }

  struct State {
    var stores: [StoreID: StoreSession] = [:]
    /// The changes of cached entries that are not taken yet; `nil` after the end of the client.
    var journal: EntryJournal?
    /// The partition of the client.
    let partition: StorePartition
    /// The first 16 types of values that should have been saved, but are not `Encodable`.
    var unencodableTypes: Set<String> = []
    var isEnded = false
    var isErased = false
    /// Users' values that were replaced, and are released outside of locks.
    fileprivate var garbage = Garbage()

    /// The stores in the order of their first uses.
    var ids: [StoreID] {
      stores.sorted { $0.value.rank < $1.value.rank }.map(\.key)
    }
  }

  let state: Mutex<State>
  let partition: StorePartition
  weak let client: QueryClient?
  let executor: (any TaskExecutor)?
  let tasks = WorkCount()
  let deadlines: Deadlines
  let wallClock: @Sendable () -> Date

  init(_ client: QueryClient) {
    partition = client.configuration.partition
    state = Mutex(State(journal: client.journal, partition: partition))
    self.client = client
    executor = client.configuration.executor
    deadlines = client.deadlines
    wallClock = client.configuration.wallClock
  }

  /// Changes the state; objects that it drops are released after the lock.
  func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    var garbage = Garbage()
    return state.withLock { state in
      defer { swap(&garbage, &state.garbage) }
      return body(&state)
    }
  }

  // MARK: Bulk calls

  func remove(_ filter: QueryFilter) { applyToRecords(filter, removes: true) }

  func invalidate(_ filter: QueryFilter) { applyToRecords(filter, removes: false) }

  private func applyToRecords(_ filter: QueryFilter, removes: Bool) {
    let records = RecordFilter(filter)
    // The cache applies the call to its entries, because only the cache knows their states. Entries that are
    // not saved in a store do not count: another query may have saved a record under the same key.
    let uses = records.isOfKeys ? [] : client?.cachedUses() ?? []
    var cached = Set(uses.filter(\.isKept).map(\.key))
    if !cached.isEmpty {
      // An entry without data does not keep an invalidation, and the cache does not tell the store of its
      // removal. So the filter decides about the record of its key, which may not be read yet, or may be
      // another client's. An invalidation ignores predicates here, so that they are evaluated only once,
      // later.
      let empty = client?.cachedUses(filter, asking: removes).filter { !$0.hasData } ?? []
      cached.subtract(empty.map(\.key))
    }
    var mark = SavedRecords.Mark(filter: records, removes: removes)
    // A text that the filter excludes anyway would only take memory while the call is stored.
    let texts = cached.compactMap { try? $0.canonicalText() }
    mark.cached = Set(texts.filter { mark.concerns($0, hasLifetime: true) })
    if filter.hasPredicate {
      applyAsking(filter, except: cached, mark)
    } else {
      update { state in
        state.drain(onlyRemovals: true)
        for id in state.stores.keys {
          // Entries that have left the cache and are not saved yet are matched here, by their last states.
          var keys = state.stores[id]?.records.changedKeys(filter) ?? []
          keys.subtract(cached)
          state.drop(state.stores[id]?.records.apply(mark, to: keys))
        }
      }
    }
    settleManyRemovals()
    if state.withLock({ $0.stores.values.contains { $0.records.isDirty } }) { entriesChanged() }
  }

  /// Applies a bulk call to changes that are not encoded yet.
  ///
  /// The filter has a predicate, which is user code, so it is called outside of the lock.
  private func applyAsking(
    _ filter: QueryFilter,
    except cached: Set<EntryKey>,
    _ mark: SavedRecords.Mark
  ) {
    var answers: [EntryKey: Bool] = [:]
    while true {
      let unknown = update { [answers] state in
        state.drain(onlyRemovals: true)
        let changed = state.stores.values.flatMap(\.records.changedArrivals)
        let unknown = changed.filter { answers[$0.key] == nil && !cached.contains($0.key) }
        guard unknown.isEmpty else { return unknown }
        let keys = Set(answers.keys.filter { answers[$0] == true })
        for id in state.stores.keys {
          state.drop(state.stores[id]?.records.apply(mark, to: keys))
        }
        return []
      }
      if unknown.isEmpty { return }
      for (key, entry) in unknown { answers[key] = filter.matches(entry.info) }
    }
  }

  // MARK: Work

  func part<Result: Sendable>(_ id: StoreID, _ body: (inout StoreSession) -> Result) -> Result? {
    state.withLock { $0.stores[id]?.changed(body) }
  }

  func sleep(for duration: Duration) async { _ = await deadlines.sleep(for: duration) }

  func rested(_ id: StoreID) {}

  func waitUntilOver() async { await tasks.waitUntilOver() }

  /// Whether there are unwritten changes.
  var isDirty: Bool {
    state.withLock { state in
      let changed = state.journal?.hasChanges ?? false
      return changed || state.stores.values.contains { $0.records.isDirty }
    }
  }

  /// The errors of the last writes after the client's end, without those of stores that were given up.
  var lastErrors: [QueryStoreError] {
    state.withLock { state in
      state.ids.compactMap { state.stores[$0] }
        .filter { !$0.isGivenUp }
        .compactMap(\.writer.stage.error)
    }
  }

  /// Whether a store that could not be written was given up, so that another try is of no use.
  func hasGivenUp(_ failure: QuerySaveError.Failure) -> Bool {
    let store = ObjectIdentifier(failure.store)
    return state.withLock { state in
      state.stores.contains { id, session in
        id.store == store && id.partition == failure.partition && session.isGivenUp
      }
    }
  }

  /// Returns the stores that were used with a partition, in the order of their first uses.
  func stores(of partition: StorePartition) -> [any QueryStore] {
    state.withLock { state in
      state.ids.filter { $0.partition == partition }.compactMap { state.stores[$0]?.settings.store }
    }
  }

  // MARK: Reports

  func report(_ error: any Error, of key: EntryKey? = nil, in id: StoreID) {
    let store = state.withLock { $0.isErased ? nil : $0.stores[id]?.settings.store }
    guard let store else { return }
    client?.emit(
      .persistenceFailed(error),
      of: key,
      in: type(of: store),
      id.partition.name,
      named: store.shownName
    )
  }

  /// Notes a type that is not `Encodable`, and gives advice when the type is new.
  func noteUnencodable(_ type: String) {
    let isNew = state.withLock { state in
      state.unencodableTypes.count < 16 && state.unencodableTypes.insert(type).inserted
    }
    if isNew, let advice = QueryAdvice(unencodable: [type]) { client?.report(.advice(advice)) }
  }

  var unencodableTypes: [String] { state.withLock { Array($0.unencodableTypes) } }

  /// Ends the use of a store that has failed for good.
  func close(_ id: StoreID, _ error: QueryStoreError) {
    update { $0.drop($0.stores[id]?.records.close(error)) }
  }
}

extension StorePersister.State {
  /// Whether queries wait until a store is read; `nil` if the store was never used.
  func isAwaited(_ id: StorePersister.StoreID) -> Bool? {
    isEnded ? false : stores[id]?.isAwaited
  }

  /// Keeps a replaced value until the unlock, so that the value's deinitialiser runs outside of the lock.
  mutating func drop(_ value: (some Sendable)?) {
    if let value { garbage.collect(value: value) }
  }

  /// Takes the changes of entries from the cache, and notes them in the records of their stores.
  ///
  /// - Parameter onlyRemovals: Whether changed entries stay in the cache, which saves time.
  mutating func drain(onlyRemovals: Bool) {
    guard let journal else { return }
    while true {
      let (removals, entries, isAll) = journal.takeChanges(onlyRemovals: onlyRemovals)
      for removal in removals {
        switch removal {
        case .removed(let key, let hadData):
          for id in stores.keys {
            drop(stores[id]?.records.noteRemoval(of: key, hadData: hadData))
          }
        case .expired(let entry): note(entry)
        case .removedAll:
          for id in stores.keys {
            drop(stores[id]?.records.noteRemovalOfAll())
          }
        }
      }
      for entry in entries { note(entry) }
      if isAll || onlyRemovals { return }
    }
  }

  private mutating func note(_ entry: PersistedEntry) {
    guard let settings = entry.persistence else { return }
    let id = StorePersister.StoreID(settings, of: partition)
    let key = entry.info.entryKey
    drop(stores[id]?.records.note(.changed(entry), of: key))
  }
}

extension PersistedEntry {
  /// The policy of the entry's query.
  var persistence: Persistence? {
    (policy as? QueryPersistence)?.settings
  }

  /// Whether the entry's data has a limit of age.
  var hasLifetime: Bool { persistence.map { TimeSpan($0.maxAge) != .infinite } ?? true }
}
