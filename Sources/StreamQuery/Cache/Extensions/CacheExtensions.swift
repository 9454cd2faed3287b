/// The mechanisms that few caches have, and which of them this cache has.
///
/// ``CacheState/announce(_:_:)`` tells these mechanisms of every change of an entry. In a cache that has none
/// of them, it only tests ``active``. A new mechanism needs a member of ``Active``, a property here, and a
/// file in this folder. Add it to `CacheChange.listeners` for each change that it handles, and call it in
/// `hear(_:_:)`.
struct CacheExtensions: Sendable {
  /// The mechanisms that have something to do at present.
  struct Active: OptionSet, Sendable {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A search that releases the lock between its parts is in progress, so changed entries are
    /// listed in ``CacheExtensions/changeLogs``.
    static let searches = Active(rawValue: 1)
    /// A persister takes the changes of persisted entries.
    static let persisted = Active(rawValue: 2)
    /// Readers find entries without the lock.
    static let replicas = Active(rawValue: 4)
    /// The number of entries, or their cost, has a limit.
    static let budget = Active(rawValue: 8)
    /// The number of fetches that run at the same time has a limit.
    static let fetchLimiter = Active(rawValue: 16)
    /// A query has options for what waiting callers get while its server is slow or down.
    ///
    /// Before the first such query, no entry has an ``EntrySlot/servingRecord``.
    static let serving = Active(rawValue: 32)
    /// An import runs.
    static let imports = Active(rawValue: 64)
    /// A record of what happens is kept.
    static let record = Active(rawValue: 128)

    /// Joins two sets; an array literal would allocate.
    static func | (first: Active, second: Active) -> Active {
      Active(rawValue: first.rawValue | second.rawValue)
    }
  }

  var active: Active = []
  /// The changed entries for each search in progress that releases the lock between its parts.
  ///
  /// Usually there is no such search.
  var changeLogs: [ChangeLog] = []
  /// The number that was last given to a change log, or to a paused walk through the index.
  var searchSerial = 0
  /// The changes of persisted entries; `nil` if there is no persister.
  var persisted: PersistedChanges?
  /// The copies of entries that threads may read without the lock; `nil` unless many threads read.
  var replicas: ReadReplicas?
  /// The limit and the order of eviction; `nil` if there is no limit.
  var budget: CacheBudget?
  /// The limiter, if the number of concurrent fetches is limited.
  var fetchLimiter: FetchLimiter<EntryID>?
  /// The keys that imports in progress are to bring.
  var imports = CacheState.Imports()
  /// The newest events; empty if none are kept.
  ///
  /// This is not optional, because each event would have to unwrap it several times.
  var record = RecordRing()
}

/// A change that ``CacheState/announce(_:_:)`` tells the extensions of a cache; an `Int` is the slot of an
/// entry.
enum CacheChange {
  /// The entry was made; if `isCrowded`, too many keys have the hash of its key.
  case added(Int, isCrowded: Bool)
  /// A query is about to take the entry over, or has done so.
  case adopting(Int, StoredQuery), adopted(Int)
  /// A caller found data, of which later callers may read a copy without the lock.
  case found(Int)
  /// The answer of a fetch is about to become the entry's data.
  case landing(Int)
  /// The entry is about to change, as its machine has decided, or has changed.
  case changing(Int), changed(Int)
  /// An attempt of the entry's fetch no longer runs, or must not begin.
  case attemptEnded(Int)
  /// The entry was invalidated, or a caller wants newer data than the cache has, or imports must no longer
  /// bring the entry older data.
  case invalidated(Int), refetched(Int), fenced(Int)
  /// The entry is about to be emptied, or dropped.
  case emptying(Int, QueryEvent.RemovalReason), leaving(Int, QueryEvent.RemovalReason)
  /// The keys that a filter selects are removed or invalidated, also those without an entry.
  case swept(EntryFilter, invalidates: Bool)
  /// All entries are about to be removed.
  case clearing(QueryEvent.RemovalReason)
  /// A bulk call concerned `count` entries of a filter.
  case called(QueryRecord.BulkCall, EntryFilter, count: Int, hasPredicate: Bool = false)
  /// A run of a mutation laid its layers over the entry's data, or removed them.
  case layered(Int, MutationID), unlayered(Int, MutationID)
  /// The network or the app has another state.
  case environmentChanged
  /// A connected stream of triggers with this name delivered an element.
  case triggered(String)
  /// A trigger stream of the entry's own query delivered an element.
  case heard(Int)
  /// The entries in these slots are about to move into new ones, in this order; all others leave.
  case moving([Int32])
  /// The defaults for later queries were replaced.
  case defaultsReplaced
  /// A transaction is about to end. `shrinking` follows `ending` if entries may be evicted or memory freed.
  case ending, shrinking

  /// The extensions that listen.
  @inline(__always)
  fileprivate var listeners: CacheExtensions.Active {
    switch self {
    case .added: .searches | .replicas | .budget
    case .adopting: .searches | .persisted
    case .changing: .searches | .persisted | .replicas | .serving
    case .changed: .fetchLimiter | .budget | .record
    case .leaving: .searches | .persisted | .replicas | .budget | .fetchLimiter
    case .moving: .searches | .replicas | .budget | .record
    case .emptying: .persisted
    case .clearing: .persisted | .record
    case .found, .landing, .defaultsReplaced: .replicas
    case .shrinking: .budget | .record
    case .attemptEnded: .fetchLimiter
    case .ending: .fetchLimiter | .record
    case .adopted: .serving | .record
    case .invalidated: .serving | .imports
    case .refetched, .fenced, .swept: .imports
    case .called, .layered, .unlayered, .environmentChanged, .triggered, .heard: .record
    }
  }

  /// Whether the change comes with nearly every event, so that it must be handled fast.
  @inline(__always)
  fileprivate var isOfEachEvent: Bool {
    switch self {
    case .changed, .adopted, .ending: true
    default: false
    }
  }
}

extension CacheState {
  /// Tells the extensions of a change.
  @inline(__always)
  mutating func announce(_ change: CacheChange, _ transaction: inout Transaction) {
    guard !extensions.active.isDisjoint(with: change.listeners) else { return }
    guard change.isOfEachEvent else { return hear(change, &transaction) }
    // The record gets these changes directly, because there are so many.
    if !extensions.active.isDisjoint(with: change.listeners.subtracting(.record)) {
      hear(change, &transaction)
    }
    if extensions.active.contains(.record) { record(change, &transaction) }
  }

  // The caller has found that an active extension handles this change. Each of the calls below does nothing
  // if its own extension is not active.
  @inline(never)
  private mutating func hear(_ change: CacheChange, _ transaction: inout Transaction) {
    switch change {
    case .added(let index, let isCrowded):
      logChange(of: index)
      countUses()
      joinBudget(index, isCrowded: isCrowded)
    case .adopting(let index, let query):
      noteTakeover(of: index, by: query)
      logChange(of: index)
    case .adopted(let index):
      if slots[index].query?.serving != nil { distrustMark(index) }
    case .found(let index): publish(index)
    case .landing(let index): unpublish(index, &transaction)
    case .changing(let index):
      logChange(of: index)
      unpublish(index, &transaction)
      followServing(index, transaction)
    case .changed(let index):
      updateLimiter(index)
      updateBudget(index)
    case .attemptEnded(let index): releaseFetch(index)
    case .invalidated(let index):
      endFailure(index, &transaction)
      noteMark(index, &transaction)
    case .refetched(let index): noteRequest(index, &transaction)
    case .fenced(let index): noteFence(index, &transaction)
    case .emptying(let index, let reason): noteRemoval(of: index, reason)
    case .leaving(let index, let reason):
      logChange(of: index)
      noteRemoval(of: index, reason)
      unpublishLast(index, &transaction)
      extensions.budget?.removed(index)
      updateLimiter(index)
    case .swept(let filter, let invalidates):
      recordBulkChange(filter, invalidates: invalidates, &transaction)
    case .clearing(let reason):
      noteRemovalOfAll()
      extensions.record.clearing = reason
    case .called(let call, let filter, let count, let hasPredicate):
      recordCall(call, filter, count: count, hasPredicate: hasPredicate, transaction)
    case .layered(let index, let run): recordLayers(.layered, index, of: run, transaction)
    case .unlayered(let index, let run): recordLayers(.unlayered, index, of: run, transaction)
    case .environmentChanged: recordEnvironment(transaction)
    case .triggered(let name): recordTrigger(name, of: nil, transaction)
    case .heard(let index): recordTrigger("refetch(on:)", of: slots[index].key, transaction)
    case .moving(let kept):
      logChangeOfAll()
      extensions.replicas?.removeRows(into: &transaction.garbage)
      extensions.budget?.moved(kept)
      recordRemoval(of: kept)
    case .defaultsReplaced: extensions.replicas?.removeAll(into: &transaction.garbage)
    case .shrinking:
      evict(&transaction)
      endRecordedTransaction(&transaction)
    case .ending: admitWaitingFetches(&transaction)
    }
  }

  @inline(__always)
  private mutating func record(_ change: CacheChange, _ transaction: inout Transaction) {
    switch change {
    case .changed(let index): recordState(of: index, at: transaction.nanoseconds)
    case .adopted(let index): recordAdoption(of: index, at: transaction.nanoseconds)
    case .ending: endRecordedTransaction(&transaction)
    default: break
    }
  }
}
