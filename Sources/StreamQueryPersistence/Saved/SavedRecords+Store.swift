internal import StreamQuery

// Taking over the content of the store, and making the batches for it.

extension SavedRecords {
  /// Takes over the records of a store that has been read.
  ///
  /// Records that are too old for the policy that saved them are removed, so that old versions of values that
  /// nobody uses do not stay for ever. The age of a record is measured to the present date or to the date of
  /// the newest record, whichever is earlier: otherwise a clock that is ahead at one launch would remove
  /// everything.
  ///
  /// A record stays if it is young enough for the policy that opened the store, whichever policy and version
  /// saved it, because a query may migrate it.
  ///
  /// - Parameters:
  ///   - contents: The content of the store.
  ///   - date: The present date.
  ///   - maxAge: The age at which records are too old for the policy that opened the store.
  /// - Returns: The keys of records that are not readable.
  mutating func loaded(
    _ contents: StoreContents,
    at date: Double,
    for maxAge: TimeSpan = .zero
  ) -> [String] {
    guard isLoading else { return [] }
    phase = .open(contents.generation)
    var unreadable: [String] = []
    records.reserveCapacity(contents.records.count)
    for record in contents.records where record.key.hasPrefix(Self.prefix) {
      guard !dropsLoaded, let value = SavedValue(record.value) else {
        if !dropsLoaded { unreadable.append(record.key) }
        unwritten.insert(record.key)
        continue
      }
      records[record.key] = Record(value: value, isStored: true)
      byteCount += record.value.count + record.key.utf8.count
    }
    let newest = records.values.lazy.map(\.value.updatedAt).filter(\.isFinite).max()
    let last = min(date, newest ?? date)
    for (text, record) in records where record.value.isOver(at: last) {
      if !record.value.isYoung(for: maxAge, at: last) { forget(text) }
    }
    let marks = pendingMarks
    pendingMarks = [:]
    for (mark, cached) in marks { apply(mark.filter, removes: mark.removes, except: cached) }
    applyCalls()
    return unreadable
  }

  /// Ends the use of a store that has failed for good.
  ///
  /// - Returns: The dropped changes with users' values, which the caller releases outside of locks.
  mutating func close(_ error: QueryStoreError) -> [[EntryKey: PendingChange]] {
    if isBehind || lossReason != nil { lossReason = error }
    phase = .closed(error)
    let old = [pendingChanges.take(), encoding]
    encoding = [:]
    removedBefore = []
    (pendingMarks, calls) = ([:], [])
    records = [:]
    unwritten = []
    (sweeps, sweeping) = ([:], [:])
    underWay = []
    evicted = [:]
    byteCount = 0
    return old
  }

  /// Takes the next batch for the store; `nil` if there is nothing to write, or while a batch is being
  /// written.
  mutating func takeBatch() -> StoreBatch? {
    guard case .open(let generation) = phase, underWay.isEmpty else { return nil }
    applyCalls()
    trim()
    guard !unwritten.isEmpty else { return nil }
    swap(&underWay, &unwritten)
    var batch = StoreBatch(generation: generation)
    for text in underWay.sorted() {
      if let record = records[text] {
        batch.puts.append(StoreRecord(key: text, value: record.value.data))
      } else {
        batch.removals.append(text)
      }
    }
    return batch
  }

  /// Notes that the present batch was written.
  mutating func written() {
    for text in underWay { records[text]?.isStored = true }
    underWay = []
    evicted = [:]
    isFull = false
  }

  /// Puts the present batch back, because it was not written; the next batch has its changes.
  ///
  /// - Parameter isFull: Whether the store had no room. Then a tenth of the records is evicted; if that does
  ///   not help, all evicted records are restored.
  /// - Returns: Whether there is less to write now.
  mutating func failed(isFull: Bool) -> Bool {
    unwritten.formUnion(underWay)
    underWay = []
    self.isFull = isFull
    let leaving = isFull ? nextToLeave : []
    for text in leaving {
      evicted[text] = records[text]
      evicted[text]?.isChanged = unwritten.contains(text)
      forget(text)
    }
    if leaving.isEmpty { restoreEvicted(wereStored: isFull) }
    return !leaving.isEmpty
  }

  /// The records to evict from a full store.
  ///
  /// At most half of the stored records are evicted: if that is not enough, other data fills the disk, and
  /// the records would be lost for nothing. New records may be evicted, too, but not the newest one, because
  /// the others are evicted to make room for it.
  private var nextToLeave: [String] {
    let order = leavingOrder
    guard let newest = order.last(where: unwritten.contains) else { return [] }
    // A single record is evicted only if no other was, because it may be too large.
    if order.count == 1 { return evicted.isEmpty ? order : [] }
    // Records that nobody can fetch again are evicted after all others, and only to make room for such
    // records.
    let isFetchable = order.contains { $0 != newest && records[$0]?.value.hasLifetime == true }
    if !isFetchable, records[newest]?.value.hasLifetime == true { return [] }
    let stored = records.values.count(where: \.isStored)
    let gone = evicted.values.count(where: \.isStored)
    var rest = (stored + gone + 1) / 2 - gone
    var leaving: [String] = []
    for text in order where text != newest && leaving.count < max(1, order.count / 10) {
      if isFetchable, records[text]?.value.hasLifetime != true { break }
      if records[text]?.isStored == true {
        guard rest > 0 else { continue }
        rest -= 1
      }
      leaving.append(text)
    }
    return leaving
  }

  /// Restores the evicted records.
  ///
  /// - Parameter wereStored: Whether the store still has the evicted records, because their removal failed.
  private mutating func restoreEvicted(wereStored: Bool) {
    for (text, record) in evicted where records[text] == nil {
      records[text] = record
      byteCount += size(of: record, text)
      if wereStored, !record.isChanged {
        unwritten.remove(text)
      } else {
        unwritten.insert(text)
      }
    }
    evicted = [:]
  }

  /// Whether records are about to be evicted, and the order depends on their last uses.
  var asksForUses: Bool { limit.order == .leastRecentlyUsedFirst && (isBeyondLimit || isFull) }

  /// Notes that entries are in use.
  ///
  /// - Parameter texts: The texts of the entries' keys. The record of the first one is evicted first.
  mutating func used(_ texts: [String]) {
    for text in texts { _ = use(text) }
  }

  /// Returns the number of the last use of a record; 0 if it was not used.
  func lastUse(_ text: String) -> UInt64 { records[Self.prefix + text]?.use ?? 0 }

  private var isBeyondLimit: Bool { records.count > limit.maxRecords || byteCount > limit.maxBytes }

  /// Removes records beyond the limit.
  private mutating func trim() {
    guard isBeyondLimit else { return }
    // A record that exceeds the limit by itself is removed, so that it does not displace all others.
    for (text, record) in records where size(of: record, text) > limit.maxBytes { forget(text) }
    guard isBeyondLimit else { return }
    // More records are evicted than necessary, so that the records are not sorted again for each new one.
    evict(
      count: limit.maxRecords - limit.maxRecords / 10,
      bytes: limit.maxBytes - limit.maxBytes / 10
    )
  }

  /// Returns the number of bytes that a key and its value count towards the limit.
  static func size(of value: SavedValue, _ name: String) -> Int {
    value.data.count + prefix.utf8.count + name.utf8.count
  }

  private func size(of record: Record, _ text: String) -> Int {
    record.value.data.count + text.utf8.count
  }

  private mutating func evict(count: Int, bytes: Int) {
    // The last record fits alone, so it need not be evicted.
    for text in leavingOrder.dropLast(limit.maxRecords > 0 ? 1 : 0) {
      guard records.count > max(0, count) || byteCount > bytes else { return }
      forget(text)
    }
  }

  /// The texts of all records, sorted by eviction: the first one is evicted first.
  private var leavingOrder: [String] {
    let byUse = limit.order == .leastRecentlyUsedFirst
    let order = records.sorted { one, other in
      let (leaves, otherLeaves) = (one.value.value.hasLifetime, other.value.value.hasLifetime)
      if leaves != otherLeaves { return leaves }
      if byUse, one.value.use != other.value.use { return one.value.use < other.value.use }
      let (date, otherDate) = (one.value.value.updatedAt, other.value.value.updatedAt)
      return date == otherDate ? one.key < other.key : date < otherDate
    }
    return order.map(\.key)
  }
}
