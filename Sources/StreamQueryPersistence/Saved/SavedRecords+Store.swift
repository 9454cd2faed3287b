internal import StreamQuery

// What the store has, and what it is told.

extension SavedRecords {
  /// The store has told what it keeps.
  ///
  /// What is too old for whoever kept it leaves, so that old versions of values that nobody uses do
  /// not stay for ever. It must be so by the date of the newest record as well: the clock may be
  /// ahead at one launch, and nothing would be left. What is young enough for the policy that
  /// opened the store stays, whichever policy and version kept it: a query may migrate it.
  ///
  /// - Parameters:
  ///   - contents: What it keeps.
  ///   - date: The present date.
  ///   - maxAge: The age at which it is too old for the present policy.
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
  /// - Returns: What is dropped: users' values, to be released outside of locks.
  mutating func close(_ error: QueryStoreError) -> [[EntryKey: Arrival]] {
    hasLost = hasLost || isBehind
    phase = .closed(error)
    let old = [arrivals.take(), settling]
    settling = [:]
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
  /// - Parameter isFull: Whether there was no room: a tenth of the records leaves, and all that left
  ///   is back if that does not help.
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

  /// The records that leave if the store is full.
  ///
  /// At most half of what the store has: if that is not enough, it is not these records that fill
  /// the disk, and they would be lost for nothing. What it does not have yet may be left out, but
  /// not all of it: then the others would make room for nothing.
  private var nextToLeave: [String] {
    let order = leavingOrder
    guard let newest = order.last(where: unwritten.contains) else { return [] }
    // A single record, which may be too large.
    if order.count == 1 { return evicted.isEmpty ? order : [] }
    // What nobody can fetch again leaves for its like, after all else.
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

  /// What left is back.
  ///
  /// - Parameter wereStored: Whether the store still has what it had, because it was asked in vain
  ///   to remove it.
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

  /// Whether records are about to leave in the order of their last uses.
  var asksForUses: Bool { limit.order == .leastRecentlyUsedFirst && (isBeyondLimit || isFull) }

  /// Records are in use.
  ///
  /// - Parameter texts: The texts of their keys, those first that may leave first.
  mutating func used(_ texts: [String]) {
    for text in texts { _ = use(text) }
  }

  /// The number of the last use of a record; 0 if there was none.
  func lastUse(_ text: String) -> UInt64 { records[Self.prefix + text]?.use ?? 0 }

  private var isBeyondLimit: Bool { records.count > limit.maxRecords || byteCount > limit.maxBytes }

  /// Removes records beyond the limit.
  private mutating func trim() {
    guard isBeyondLimit else { return }
    // One that is too large for itself must not drive out the others.
    for (text, record) in records where size(of: record, text) > limit.maxBytes { forget(text) }
    guard isBeyondLimit else { return }
    // Some more, so that it is not sorted again for each record.
    evict(
      count: limit.maxRecords - limit.maxRecords / 10,
      bytes: limit.maxBytes - limit.maxBytes / 10
    )
  }

  /// How many bytes of the limit the record of a key takes.
  static func size(of value: SavedValue, _ name: String) -> Int {
    value.data.count + prefix.utf8.count + name.utf8.count
  }

  private func size(of record: Record, _ text: String) -> Int {
    record.value.data.count + text.utf8.count
  }

  private mutating func evict(count: Int, bytes: Int) {
    // The last one fits alone, and would leave for nothing.
    for text in leavingOrder.dropLast(limit.maxRecords > 0 ? 1 : 0) {
      guard records.count > max(0, count) || byteCount > bytes else { return }
      forget(text)
    }
  }

  /// The texts of all records, those first that leave first.
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
