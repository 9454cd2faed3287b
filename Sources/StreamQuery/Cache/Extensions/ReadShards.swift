import Synchronization

/// Data that can be read without the cache's lock, in tables with a lock each.
///
/// If many threads ask a cache for data that is there, they would wait for its one lock. So the first reader
/// of an entry leaves an ``ReadReplica`` here, and the next ones find it by the key's hash in one of several
/// tables. Only the cache changes the tables, and only under its own lock:
///
/// - An offer is made under the lock, of the entry as it is then.
/// - It is withdrawn under the lock, before the transaction that changes the entry can be seen. So a reader
///   that has seen some result of a transaction finds no older offer of this or any other entry: all offers
///   together are as consistent as the cache is.
///
/// A table's lock is the last one that is taken. A withdrawn offer is released by the transaction,
/// because it may hold the last reference to a user's object.
final class ReadShards: Sendable {
  private struct Table: Sendable {
    /// The offers, by the hash of the key: of several keys with one hash, only the first is
    /// offered, so that no look compares more than one.
    var replicas: [Int: ReadReplica] = [:]
    /// The uses since they were last taken; each entry at most once.
    var used: [HitCounter] = []
    /// The hits since receivers were told; each entry at most once.
    var hits: [EntryHits] = []
  }

  /// One of the tables; an object, so that no two share a cache line.
  private final class Shard: Sendable {
    let table = ContendedMutex(Table())
    /// The number of lookups that found fresh data here.
    let hits = Atomic(0)
    /// Whether there are uses.
    let isUsed = Atomic(false)
  }

  private let shards: [Shard]
  /// The latest time of any transaction, in nanoseconds; see ``CacheState/latest``.
  private let latest = Atomic<Int64>(0)
  /// Whether receivers are told of hits.
  let countsHits: Bool
  /// Whether there are unreported hits, and a report of them is due.
  private let isReportDue = Atomic(false)

  /// Creates empty tables.
  ///
  /// - Parameters:
  ///   - count: The minimum number; at most 256 are made.
  ///   - countsHits: Whether receivers are told of the hits of each entry.
  init(count: Int, countsHits: Bool = false) {
    self.countsHits = countsHits
    // The number of tables is a power of two, so that some bits of the hash select the table.
    var size = 1
    while size < min(count, 256) { size *= 2 }
    shards = (0..<size).map { _ in Shard() }
  }

  /// The number of tables.
  var count: Int { shards.count }

  /// The number of lookups that found fresh data in an offer.
  var hits: Int { shards.reduce(0) { $0 + $1.hits.load(ordering: .relaxed) } }

  /// The time of a decision: never before that of a transaction.
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

  /// A reader got the data of an offer.
  ///
  /// - Parameters:
  ///   - replica: The offer.
  ///   - isLookup: Whether this counts as a lookup that found fresh data.
  /// - Returns: Whether the caller has to schedule a report of hits.
  @inline(__always)
  @discardableResult
  func noteUse(of replica: ReadReplica, isLookup: Bool) -> Bool {
    let shard = shard(of: replica.key)
    if isLookup { shard.hits.add(1, ordering: .relaxed) }
    // The uses are not bound to a variable before they have to be noted, because all threads would
    // then count references to them.
    if replica.uses?.increment() == true, let uses = replica.uses {
      shard.table.withLock { $0.used.append(uses) }
      shard.isUsed.store(true, ordering: .relaxed)
    }
    guard isLookup, replica.hits?.uses.increment() == true, let hits = replica.hits else {
      return false
    }
    shard.table.withLock { $0.hits.append(hits) }
    // The mark is set after the hit is in the list, so that the thread which takes the mark away
    // finds the hit there.
    return !isReportDue.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Takes the hits since the last call, in the order in which their entries were made.
  ///
  /// Includes entries that are gone. The next hit asks for another report.
  func takeHits() -> [EntryHits] {
    guard isReportDue.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
    var all: [EntryHits] = []
    for shard in shards {
      var hits: [EntryHits] = []
      shard.table.withLock { swap(&$0.hits, &hits) }
      all += hits
    }
    // Hashes differ from process to process, and so does the order of the tables.
    return all.sorted { $0.uses.entry.generation < $1.uses.entry.generation }
  }

  @inline(__always)
  private func shard(of key: EntryKey) -> Shard {
    shards[key.storage.hash & (shards.count - 1)]
  }

  // MARK: Under the cache's lock

  /// Makes an offer.
  ///
  /// - Returns: Whether it was made; `false` if a key with the same hash is offered.
  func insert(_ replica: ReadReplica) -> Bool {
    shard(of: replica.key).table.withLock { table in
      guard table.replicas[replica.key.storage.hash] == nil else { return false }
      table.replicas[replica.key.storage.hash] = replica
      return true
    }
  }

  /// Withdraws an offer that was made; the caller holds it, so that nothing is released here.
  func remove(_ replica: ReadReplica) {
    shard(of: replica.key).table.withLock { $0.replicas[replica.key.storage.hash] = nil }
  }

  /// Withdraws all offers.
  ///
  /// - Returns: The offers, to be released outside the lock.
  func removeAll() -> [[Int: ReadReplica]] {
    shards.map { shard in
      var old: [Int: ReadReplica] = [:]
      shard.table.withLock { swap(&$0.replicas, &old) }
      return old
    }
  }

  /// Takes the entries whose copies were read since the last call, in no order, including copies
  /// that were withdrawn since.
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
