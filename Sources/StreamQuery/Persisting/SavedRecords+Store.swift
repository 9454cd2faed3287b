// What the store has, and what it is told.

extension SavedRecords {
  /// The store has told what it keeps.
  ///
  /// - Returns: The keys of records that are not readable.
  mutating func loaded(_ contents: StoreContents) -> [String] {
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
      records[record.key] = Record(value: value)
      byteCount += record.value.count + record.key.utf8.count
    }
    for (filter, removes) in pendingMarks { apply(filter, removes: removes) }
    pendingMarks = []
    return unreadable
  }

  /// The store cannot be used any more.
  ///
  /// - Returns: What is dropped: users' values, to be released outside of locks.
  mutating func close(_ error: QueryStoreError) -> [[EntryKey: Arrival]] {
    phase = .closed(error)
    let old = [arrivals, settling]
    arrivals = [:]
    settling = [:]
    pendingMarks = []
    records = [:]
    unwritten = []
    underWay = []
    evicted = [:]
    byteCount = 0
    return old
  }

  /// The next batch for the store; `nil` if there is nothing to write, or a batch is under way.
  mutating func takeBatch() -> StoreBatch? {
    guard case .open(let generation) = phase, underWay.isEmpty else { return nil }
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
    underWay = []
    evicted = [:]
  }

  /// The batch under way was not written, and will be a part of the next one.
  ///
  /// - Parameter isFull: Whether there was no room: a tenth of the records leaves, and is back if
  ///   there is no room even for one.
  /// - Returns: Whether there is less to write now.
  mutating func failed(isFull: Bool) -> Bool {
    unwritten.formUnion(underWay)
    underWay = []
    // Without any record there would be nothing to write, but all to lose.
    guard isFull, records.count > (evicted.isEmpty ? 0 : 1) else {
      for (text, record) in evicted where records[text] == nil {
        records[text] = record
        byteCount += size(of: record, text)
        unwritten.insert(text)
      }
      evicted = [:]
      return false
    }
    let former = records
    evict(count: records.count - max(1, records.count / 10), bytes: .max)
    for (text, record) in former where records[text] == nil { evicted[text] = record }
    return true
  }

  /// Removes records beyond the limit.
  private mutating func trim() {
    guard records.count > limit.count || byteCount > limit.bytes else { return }
    // One that is too large for itself must not drive out the others.
    for (text, record) in records where size(of: record, text) > limit.bytes { forget(text) }
    guard records.count > limit.count || byteCount > limit.bytes else { return }
    // Some more, so that it is not sorted again for each record.
    evict(count: limit.count - limit.count / 10, bytes: limit.bytes - limit.bytes / 10)
  }

  private func size(of record: Record, _ text: String) -> Int {
    record.value.data.count + text.utf8.count
  }

  private mutating func evict(count: Int, bytes: Int) {
    let byUse = limit.order == .leastRecentlyUsedFirst
    let order = records.sorted { one, other in
      if byUse, one.value.use != other.value.use { return one.value.use < other.value.use }
      let (date, otherDate) = (one.value.value.updatedAt, other.value.value.updatedAt)
      return date == otherDate ? one.key < other.key : date < otherDate
    }
    for (text, _) in order {
      guard records.count > max(0, count) || byteCount > bytes else { return }
      forget(text)
    }
  }
}
