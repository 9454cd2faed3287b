internal import StreamQuery

// The content of the store, and the batches for it.

extension SavedRecords {
  /// The content of the store has been read.
  ///
  /// Records that are too old for the policy that saved them are removed, so that old versions of
  /// values that nobody uses do not stay for ever. They must be too old by the date of the newest
  /// record as well: otherwise a clock that is ahead at one launch would remove everything. Records
  /// that are young enough for the policy that opened the store stay, whichever policy and version
  /// saved them: a query may migrate them.
  ///
  /// - Parameters:
  ///   - contents: The content.
  ///   - date: The present date.
  ///   - maxAge: The age at which records are too old for the present policy.
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
    pendingMarks = []
    for mark in marks { apply(mark.filter, removes: mark.removes) }
    applyCalls()
    return unreadable
  }

  /// The store cannot be used any more.
  ///
  /// - Returns: The dropped changes: users' values, to be released outside of locks.
  mutating func close(_ error: QueryStoreError) -> [[EntryKey: PendingChange]] {
    if isBehind || lossReason != nil { lossReason = error }
    phase = .closed(error)
    let old = [pendingChanges.take(), encoding]
    encoding = [:]
    pendingMarks = []
    records = [:]
    unwritten = []
    sweeping = []
    underWay = []
    evicted = [:]
    byteCount = 0
    return old
  }

  /// The next batch for the store; `nil` if there is nothing to write, or a batch is under way.
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

  /// The batch under way was written.
  mutating func written() {
    for text in underWay { records[text]?.isStored = true }
    underWay = []
    evicted = [:]
    isFull = false
  }

  /// The batch under way was not written, and will be a part of the next one.
  ///
  /// - Parameter isFull: Whether the store had no room. Then a tenth of the records is evicted; if that does
  ///   not help, all evicted records return.
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

  /// The records to evict if the store is full.
  ///
  /// At most half of the stored records are evicted: if that is not enough, other data fills the
  /// disk, and the records would be lost for nothing. New records may be omitted, but at least one
  /// of them stays: otherwise the evicted ones would make room for nothing.
  private var nextToLeave: [String] {
    let order = leavingOrder
    guard let newest = order.last(where: unwritten.contains) else { return [] }
    // There is a single record, which may be too large.
    if order.count == 1 { return evicted.isEmpty ? order : [] }
    // Records that nobody can fetch again are evicted after all others, and only to make room for
    // records of their kind.
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

  /// The evicted records return.
  ///
  /// - Parameter wereStored: Whether they are still in the store, because their removal failed.
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

  /// Whether records are about to be evicted by the order of their last uses.
  var asksForUses: Bool { limit.order == .leastRecentlyUsedFirst && (isBeyondLimit || isFull) }

  /// Records are in use.
  ///
  /// - Parameter texts: The texts of their keys; the first is evicted first.
  mutating func used(_ texts: [String]) {
    for text in texts { _ = use(text) }
  }

  /// The number of the last use of a record; 0 if there was none.
  func lastUse(_ text: String) -> UInt64 { records[Self.prefix + text]?.use ?? 0 }

  private var isBeyondLimit: Bool { records.count > limit.maxRecords || byteCount > limit.maxBytes }

  /// Removes records beyond the limit.
  private mutating func trim() {
    guard isBeyondLimit else { return }
    // A record that is too large by itself must not drive out the others.
    for (text, record) in records where size(of: record, text) > limit.maxBytes { forget(text) }
    guard isBeyondLimit else { return }
    // A few more records are evicted than necessary, so that the records are not sorted again for
    // each new one.
    evict(
      count: limit.maxRecords - limit.maxRecords / 10,
      bytes: limit.maxBytes - limit.maxBytes / 10
    )
  }

  /// The number of bytes of the limit that the record of a key takes.
  static func size(of value: SavedValue, _ name: String) -> Int {
    value.data.count + prefix.utf8.count + name.utf8.count
  }

  private func size(of record: Record, _ text: String) -> Int {
    record.value.data.count + text.utf8.count
  }

  private mutating func evict(count: Int, bytes: Int) {
    // The last record fits alone, so its eviction would be for nothing.
    for text in leavingOrder.dropLast(limit.maxRecords > 0 ? 1 : 0) {
      guard records.count > max(0, count) || byteCount > bytes else { return }
      forget(text)
    }
  }

  /// The texts of all records, in the order in which they leave.
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
