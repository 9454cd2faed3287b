import Synchronization

/// The copies of entries that threads may read without the lock; used only where many threads read.
struct ReadReplicas: Sendable {
  private struct Row: Sendable {
    var replica: ReadReplica?
    /// Counts the uses of the entry's copies; `nil` before the first copy, or if the cache has no limit.
    var uses: HitCounter?
    /// Counts the fresh hits in these copies; `nil` if no receiver of events wants hits.
    var hits: EntryHits?
  }

  let shards: ReadShards
  /// The rows, by slot.
  private var rows: [Row] = []
  /// The number of new entries until the uses of copies are counted again: a count takes some time,
  /// because it visits all tables.
  private var rest = 0

  init(_ shards: ReadShards) {
    self.shards = shards
  }

  @inline(__always)
  func isPublished(_ index: Int) -> Bool { index < rows.count && rows[index].replica != nil }

  /// The counter for the uses of an entry that is about to get a copy.
  mutating func uses(of entry: EntryID, _ index: Int) -> HitCounter {
    while rows.count <= index { rows.append(Row()) }
    if let uses = rows[index].uses, uses.entry == entry { return uses }
    let uses = HitCounter(of: entry)
    rows[index].uses = uses
    return uses
  }

  /// The counter for the hits of an entry that is about to get a copy; `nil` if no receiver wants hits.
  mutating func hits(of entry: EntryID, _ key: AnyQueryKey, _ index: Int) -> EntryHits? {
    guard shards.countsHits else { return nil }
    while rows.count <= index { rows.append(Row()) }
    if let hits = rows[index].hits { return hits }
    let hits = EntryHits(of: entry, key)
    rows[index].hits = hits
    return hits
  }

  mutating func publish(_ replica: ReadReplica, _ index: Int) {
    guard shards.insert(replica) else { return }
    while rows.count <= index { rows.append(Row()) }
    rows[index].replica = replica
  }

  /// Withdraws the copy of an entry.
  mutating func unpublish(_ index: Int) -> ReadReplica? {
    guard index < rows.count, let replica = rows[index].replica.take() else { return nil }
    shards.remove(replica)
    return replica
  }

  /// Forgets an entry that is gone, after its copy was withdrawn.
  ///
  /// - Returns: The uses that nobody has counted yet, and the counter of hits, to be released
  ///   outside the lock.
  mutating func removed(_ index: Int) -> (uses: Int, hits: EntryHits?) {
    guard index < rows.count else { return (0, nil) }
    return (rows[index].uses.take()?.takeCount() ?? 0, rows[index].hits.take())
  }

  /// Withdraws all copies; the entries stay in their slots.
  mutating func removeAll(into garbage: inout Garbage) {
    garbage.collect(value: (shards.removeAll(), rows.map(\.replica)))
    for index in rows.indices { rows[index].replica = nil }
  }

  /// Withdraws all copies, and forgets all entries, because they leave their slots.
  mutating func removeRows(into garbage: inout Garbage) {
    garbage.collect(value: (shards.removeAll(), rows.takeAll()))
  }

  /// Counts a new entry, and takes the counters of the copies from time to time.
  ///
  /// - Parameter count: The number of entries; with fewer entries, uses are taken more often.
  /// - Returns: The counters of entries that were used since they were last taken, in the order in which
  ///   these entries were made.
  mutating func entryWasMade(among count: Int) -> [HitCounter] {
    guard rest == 0 else {
      rest -= 1
      return []
    }
    rest = min(shards.count / 8, count / 64)
    // The uses are sorted, because the order of the tables depends on hashes, which differ from
    // process to process.
    return shards.takeUsed().sorted { $0.entry.generation < $1.entry.generation }
  }
}

/// A copy of an entry, valid until the copy is withdrawn: see ``ReadShards``.
final class ReadReplica: Sendable {
  let key: EntryKey
  let data: ValueBox
  /// The newest query of the entry.
  let query: StoredQuery?
  /// The defaults for later queries.
  let defaults: StoredDefaults
  private let updatedAt: Instant
  private let isInvalidated: Bool
  /// Whether the data is a part of a streamed value; a part counts as stale here, so that callers
  /// ask the cache.
  private let isPart: Bool
  /// The ``EntrySlot/servingRecord`` of the entry.
  private let serving: ServingRecord
  /// Counts the uses of the entry; `nil` if nobody needs them.
  let uses: HitCounter?
  /// Counts the callers that found fresh data; `nil` if no receiver wants hits.
  let hits: EntryHits?

  init(
    key: EntryKey,
    data: ValueBox,
    query: StoredQuery?,
    defaults: StoredDefaults,
    updatedAt: Instant,
    isInvalidated: Bool,
    isPart: Bool,
    serving: ServingRecord,
    uses: HitCounter?,
    hits: EntryHits?
  ) {
    self.key = key
    self.data = data
    self.query = query
    self.defaults = defaults
    self.updatedAt = updatedAt
    self.isInvalidated = isInvalidated
    self.isPart = isPart
    self.serving = serving
    self.uses = uses
    self.hits = hits
  }

  /// Whether this is the copy of a key's entry.
  @inline(__always)
  func isOf(_ key: EntryKey) -> Bool { self.key == key }

  /// Whether the data is stale.
  @inline(__always)
  func isStale(_ freshness: Freshness, at now: Instant) -> Bool {
    isPart || freshness.isStale(updatedAt: updatedAt, isInvalidated: isInvalidated, at: now)
  }

  /// Whether the data may have to be refetched ahead of time.
  @inline(__always)
  func isRefreshDue(_ refresh: RefreshAhead?, _ freshness: Freshness, at now: Instant) -> Bool {
    guard let refresh, !refresh.isOff else { return false }
    return serving.isRefreshDue(refresh, freshness, of: updatedAt, at: now)
  }
}

/// Counts the uses of an entry without the cache's lock: all uses, or only fresh hits.
///
/// The counter is separate from the ``ReadReplica``. So it retains no data while it waits to be read, and all
/// copies of an entry share one counter.
final class HitCounter: Sendable {
  let entry: EntryID
  private let count = Atomic(0)

  init(of entry: EntryID) {
    self.entry = entry
  }

  /// Counts a use.
  ///
  /// - Returns: Whether it is the first one since ``takeCount()``.
  @inline(__always)
  func increment() -> Bool { count.add(1, ordering: .relaxed).oldValue == 0 }

  /// The uses since this was last called.
  func takeCount() -> Int { count.exchange(0, ordering: .relaxed) }
}

/// Counts the fresh hits of an entry without the cache's lock since the last report to receivers.
///
/// This holds a user's key, so never release it under the lock.
final class EntryHits: Sendable {
  let key: AnyQueryKey
  let uses: HitCounter

  init(of entry: EntryID, _ key: AnyQueryKey) {
    self.key = key
    uses = HitCounter(of: entry)
  }
}
