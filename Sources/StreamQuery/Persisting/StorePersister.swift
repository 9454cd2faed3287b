import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Restores and saves the entries of one client.
///
/// The shell around ``SavedRecords`` and ``SavePlan``, which decide. Encoding and decoding are user
/// code, and run outside of locks.
final class StorePersister: Persister {
  /// A store and the part of it.
  struct StoreID: Hashable {
    let store: ObjectIdentifier
    let partition: StorePartition

    init(_ settings: Persistence) {
      store = ObjectIdentifier(settings.store)
      partition = settings.partition
    }
  }

  /// What is known of a store.
  struct OpenStore {
    let settings: Persistence
    var records: SavedRecords
    /// The callers that wait until it is read.
    var waits: [SharedOneShot<Void>] = []
    /// Whether queries go on although it has not been read.
    var isSlow = false

    var isAwaited: Bool { records.isLoading && !isSlow }
  }

  struct State {
    var stores: [StoreID: OpenStore] = [:]
    var plan: SavePlan?
    /// The task that waits to write.
    var waiting: Task<Void, Never>?
    /// The callers that wait for a round of writing.
    var saveWaits: [(round: UInt64, answer: SharedOneShot<QueryStoreError?>)] = []
    /// `nil` when the client is over and everything is written.
    var cache: QueryCache?
    var isEnded = false
  }

  let state: Mutex<State>
  weak let client: QueryClient?
  let executor: (any TaskExecutor)?
  let clock: any Clock<Duration>
  let wallClock: @Sendable () -> Date

  init(_ client: QueryClient) {
    state = Mutex(State(cache: client.cache))
    self.client = client
    executor = client.configuration.executor
    clock = client.configuration.clock
    wallClock = client.configuration.wallClock
  }

  // MARK: Bulk calls

  func remove(_ filter: QueryFilter) { apply(filter, removes: true) }

  func invalidate(_ filter: QueryFilter) { apply(filter, removes: false) }

  private func apply(_ filter: QueryFilter, removes: Bool) {
    let filter = RecordFilter(filter)
    var cached: Set<String> = []
    if !filter.isOfKeys, let client {
      // What the filter says of them depends on their state, which the cache knows.
      let known = client.search(.all) { state, index, _ in state.slots[index].key }
      cached = Set(known.compactMap { try? $0.item?.canonicalText() })
    }
    let (isDirty, dropped) = state.withLock { [cached] state in
      let dropped = state.drain(onlyDepartures: true)
      for id in state.stores.keys {
        state.stores[id]?.records.apply(filter, removes: removes, except: cached)
      }
      return (state.stores.values.contains { $0.records.isDirty }, dropped)
    }
    withExtendedLifetime(dropped) {}
    if isDirty { entriesChanged() }
  }

  // MARK: Reports

  func report(_ error: any Error, _ key: AnyQueryKey = AnyQueryKey(parts: [])) {
    client?.tell(.persistenceFailed(error), of: key)
  }

  /// A store cannot be used any more.
  func close(_ id: StoreID, _ error: QueryStoreError) {
    let dropped = state.withLock { $0.stores[id]?.records.close(error) }
    withExtendedLifetime(dropped) {}
  }
}

extension StorePersister.State {
  /// Takes from the cache what became of entries.
  ///
  /// - Parameter onlyDepartures: Whether changed entries stay, which takes no time.
  /// - Returns: What is replaced: users' values, to be released outside of locks.
  mutating func drain(onlyDepartures: Bool) -> [Any] {
    guard let cache else { return [] }
    var dropped: [Any] = []
    while true {
      let (departures, entries, isAll) = cache.record {
        $0.takePersistedChanges(onlyDepartures: onlyDepartures)
      }
      for departure in departures {
        switch departure {
        case .removed(let key):
          for id in stores.keys {
            dropped.append(stores[id]?.records.note(.removed, of: key) as Any)
          }
        case .expired(let entry): note(entry, &dropped)
        case .removedAll:
          for id in stores.keys {
            dropped.append(stores[id]?.records.noteRemovalOfAll() as Any)
          }
        }
      }
      for entry in entries { note(entry, &dropped) }
      if isAll || onlyDepartures { return dropped }
    }
  }

  private mutating func note(_ entry: PersistedEntry, _ dropped: inout [Any]) {
    guard let settings = entry.persistence else { return }
    let id = StorePersister.StoreID(settings)
    let key = entry.info.entryKey
    dropped.append(stores[id]?.records.note(.changed(entry), of: key) as Any)
  }
}

extension PersistedEntry {
  /// How its query is kept.
  var persistence: Persistence? {
    (query.resolved.persistence as? QueryPersistence)?.settings
  }
}
