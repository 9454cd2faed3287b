import Synchronization

/// Data that can be read without the cache's lock, in tables with a lock each.
///
/// Many threads that read cached data would wait for the cache's one lock. So the first reader of an entry
/// leaves a copy here, a ``ReadReplica``. The next readers find the copy by the key's hash in one of several
/// tables. Only the cache changes the tables, and only under its own lock:
///
/// - A copy is made under the lock, and shows the entry as it is then.
/// - It is withdrawn under the lock, before the transaction that changes the entry can be seen. So
///   a reader that has seen some result of a transaction finds no older copy of this or any other
///   entry: all copies together are as consistent as the cache is.
///
/// A thread that holds a table's lock takes no other lock. The transaction releases a withdrawn copy after
/// the locks, because the copy may hold the last reference to a user's object.
final class ReadShards: Sendable {
  private struct Table: Sendable {
    /// The copies, by the hash of the key: of several keys with one hash, only the first has a
    /// copy, so that each lookup compares one key.
    var replicas: [Int: ReadReplica] = [:]
    /// The counters of entries that were read since ``takeUsed()`` was last called; each entry at most once.
    var used: [HitCounter] = []
    /// The counters of entries with hits since the last report to receivers; each entry at most once.
    var hits: [EntryHits] = []
  }

  /// One of the tables; an object, so that no two share a cache line.
  private final class Shard: Sendable {
    let table = ContendedMutex(Table())
    /// The number of lookups that found fresh data here.
    let hits = Atomic(0)
    /// Whether `used` may have counters, so that ``takeUsed()`` has to look into the table.
    let isUsed = Atomic(false)
  }

  private let shards: [Shard]
  /// The latest time of any transaction, in nanoseconds; see ``CacheState/environment``.
  private let latest = Atomic<Int64>(0)
  /// Whether receivers get the number of hits.
  let countsHits: Bool
  /// Whether there are unreported hits, and a thread has been told to report them.
  private let isReportDue = Atomic(false)

  /// Creates empty tables.
  ///
  /// - Parameters:
  ///   - count: The minimum number of tables; at most 256 are made.
  ///   - countsHits: Whether receivers get the number of hits of each entry.
  init(count: Int, countsHits: Bool = false) {
    self.countsHits = countsHits
    // The number of tables is a power of two, so that some bits of the hash select the table.
    var size = 1
    while size < min(count, 256) { size *= 2 }
    shards = (0..<size).map { _ in Shard() }
  }

  /// The number of tables.
  var count: Int { shards.count }

  /// The number of lookups that found fresh data in a copy.
  var hits: Int { shards.reduce(0) { $0 + $1.hits.load(ordering: .relaxed) } }

  /// The given time or, if that is later, the time of the latest transaction.
  @inline(__always)
  func time(_ now: Instant) -> Instant {
    max(now, Instant(nanoseconds: latest.load(ordering: .relaxed)))
  }

  /// The copy of an entry that may be read without the cache's lock; `nil` if there is none.
  @inline(__always)
  func replica(of key: EntryKey) -> ReadReplica? {
    let replica = shard(of: key).table.withLock { $0.replicas[key.storage.hash] }
    guard let replica, replica.isOf(key) else { return nil }
    return replica
  }

  /// Counts that a reader got the data of a copy.
  ///
  /// - Parameters:
  ///   - replica: The copy.
  ///   - isLookup: Whether this counts as a lookup that found fresh data.
  /// - Returns: Whether the caller has to schedule a report of hits.
  @inline(__always)
  @discardableResult
  func noteUse(of replica: ReadReplica, isLookup: Bool) -> Bool {
    let shard = shard(of: replica.key)
    if isLookup { shard.hits.add(1, ordering: .relaxed) }
    // `uses` is bound only where it has to be added to the list: otherwise all threads would count
    // references to it.
    if replica.uses?.increment() == true, let uses = replica.uses {
      shard.table.withLock { $0.used.append(uses) }
      shard.isUsed.store(true, ordering: .relaxed)
    }
    guard isLookup, replica.hits?.uses.increment() == true, let hits = replica.hits else {
      return false
    }
    shard.table.withLock { $0.hits.append(hits) }
    // `isReportDue` is set after the hit is in the list, so that the thread that resets it finds the
    // hit there.
    return !isReportDue.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Takes the hits since the last call, in the order in which their entries were made.
  ///
  /// They include hits of entries that are gone. The next hit requests another report.
  func takeHits() -> [EntryHits] {
    guard isReportDue.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
    var all: [EntryHits] = []
    for shard in shards {
      var hits: [EntryHits] = []
      shard.table.withLock { swap(&$0.hits, &hits) }
      all += hits
    }
    // Sorted, because the order of the tables depends on hashes, which differ from process to process.
    return all.sorted { $0.uses.entry.generation < $1.uses.entry.generation }
  }

  @inline(__always)
  private func shard(of key: EntryKey) -> Shard {
    shards[key.storage.hash & (shards.count - 1)]
  }

  // MARK: Under the cache's lock

  /// Adds a copy.
  ///
  /// - Returns: Whether the copy was added; `false` if another key with the same hash has one.
  func insert(_ replica: ReadReplica) -> Bool {
    shard(of: replica.key).table.withLock { table in
      guard table.replicas[replica.key.storage.hash] == nil else { return false }
      table.replicas[replica.key.storage.hash] = replica
      return true
    }
  }

  /// Withdraws a copy that was added; the caller retains it, so that nothing is released here.
  func remove(_ replica: ReadReplica) {
    shard(of: replica.key).table.withLock { $0.replicas[replica.key.storage.hash] = nil }
  }

  /// Withdraws all copies.
  ///
  /// - Returns: The copies, to be released outside the lock.
  func removeAll() -> [[Int: ReadReplica]] {
    shards.map { shard in
      var old: [Int: ReadReplica] = [:]
      shard.table.withLock { swap(&$0.replicas, &old) }
      return old
    }
  }

  /// Takes the counters of the copies that were read since the last call, in no particular order and
  /// including copies that were withdrawn meanwhile.
  func takeUsed() -> [HitCounter] {
    var all: [HitCounter] = []
    for shard in shards where shard.isUsed.exchange(false, ordering: .relaxed) {
      var used: [HitCounter] = []
      shard.table.withLock { swap(&$0.used, &used) }
      all += used
    }
    return all
  }

  func advance(to now: Instant) {
    latest.store(now.nanoseconds, ordering: .relaxed)
  }
}
