internal import StreamQuery

/// The records of a client's entries in a store, with the changes that are not written yet.
///
/// This is a value that never waits. The cache reports changes by key. The texts of the keys and the bytes of
/// the values are made outside of locks, and are applied later by ``encoded(_:)``.
struct SavedRecords: Sendable {
  /// A change of an entry.
  enum PendingChange: Sendable {
    case changed(PersistedEntry)
    case removed
  }

  /// The state of an entry when it was saved; if the entry has another state now, its record is outdated.
  struct Stamp: Hashable, Sendable {
    let entry: UInt64
    let count: Int
    let updatedAt: Double
    let isInvalidated: Bool
    let isPart: Bool

    init(_ entry: PersistedEntry) {
      self.entry = entry.number
      count = entry.info.dataUpdateCount
      updatedAt = entry.info.dataDate
      isInvalidated = entry.isInvalidated
      isPart = entry.info.isPart
    }
  }

  /// A change with its encoded value, as it is applied to a record.
  enum EncodedChange: Sendable {
    case save(SavedValue, Stamp)
    /// The entry has its restored data, so only its invalidation may differ.
    case mark(isInvalidated: Bool)
    case remove
  }

  /// A bulk call, which removes or invalidates all records that match a filter.
  struct Mark: Hashable, Sendable {
    let filter: RecordFilter
    let removes: Bool
    /// The texts of the keys of entries that were cached.
    ///
    /// The cache applies the call to these entries itself, so the filter does not decide about their records.
    var cached: Set<String> = []

    /// Whether the call affects a record.
    func concerns(_ name: String, hasLifetime: Bool) -> Bool {
      if cached.contains(name) { return false }
      return switch filter.answer(for: name) {
      case .no: false
      case .maybe: !removes || hasLifetime
      case .yes: true
      }
    }
  }

  struct Record: Sendable {
    var value: SavedValue
    var stamp: Stamp?
    /// The number of the last use, which orders the uses of all records; 0 if the record was not used.
    var use: UInt64 = 0
    /// Whether the store has the record, in the present or a former form.
    var isStored = false
    /// Whether an evicted record differs from the record that the store has.
    var isChanged = false
    /// The readers that could not decode the record; it stays for other readers.
    var failedReaders: Set<Reader> = []
  }

  /// A value type and a version with which a query decodes a record.
  struct Reader: Hashable, Sendable {
    let valueType: ObjectIdentifier
    let version: String
  }

  /// The prefix of the keys of all records.
  static let prefix = "query/"

  var phase = StoreWriter.Phase.loading
  let limit: StoreLimit
  var records: [String: Record] = [:]
  var byteCount = 0
  private var useSerial: UInt64 = 0
  /// The keys of records that differ from the store.
  var unwritten: Set<String> = []
  /// The keys of records in the present batch; they are unwritten again if the batch fails.
  var underWay: Set<String> = []
  /// The records that were evicted because the store is full; they are restored if their eviction did not
  /// help.
  var evicted: [String: Record] = [:]
  /// Whether the store had no room for the last batch.
  var isFull = false
  /// The changes that wait to be encoded.
  var pendingChanges = PendingChanges()
  /// The changes that are being encoded.
  var encoding: [EntryKey: PendingChange] = [:]
  /// The keys of the changes in ``encoding`` that replaced a removal.
  var removedBefore: Set<EntryKey> = []
  /// Whether everything was removed before the store was read; the content that is read is then ignored.
  var dropsLoaded = false
  /// The bulk calls before the store is read, each once: a read may take hours.
  ///
  /// The value is the texts of the entries that were cached at every repetition; these are spared.
  var pendingMarks: [Mark: Set<String>] = [:]
  /// The bulk calls that are applied to all records later, so that their callers need not wait.
  var calls: [Mark] = []
  /// The removals to repeat on records in the store that this client does not know.
  ///
  /// For each filter, the texts of the entries that were cached at every call with it: their records stay.
  var sweeps: [RecordFilter: Set<String>] = [:]
  /// The removals that are performed when the present read of the store's content ends.
  var sweeping: [RecordFilter: Set<String>] = [:]
  /// The number of values that were dropped because too many waited, since the last report.
  private(set) var givenUpCount = 0
  /// The error with which the store was closed, if a change was lost since then; `nil` while it is open.
  var lossReason: QueryStoreError?

  init(limit: StoreLimit) {
    // The initializer of ``StoreLimit`` raises negative numbers to 0.
    self.limit = StoreLimit(
      maxRecords: limit.maxRecords,
      maxBytes: limit.maxBytes,
      order: limit.order
    )
  }

  var isLoading: Bool { phase.isLoading }

  /// Whether there are changes that can be encoded.
  var canSettle: Bool {
    if case .open = phase { !pendingChanges.isEmpty || !calls.isEmpty } else { false }
  }

  /// Whether changes remain to be written after a round of writing.
  var hasFailed: Bool {
    if case .open = phase { !unwritten.isEmpty || !sweeps.isEmpty } else { false }
  }

  /// The error that keeps changes from being written; `nil` if they can be written, or if there are none.
  var obstacle: QueryStoreError? {
    guard isLoading else { return lossReason }
    return isBehind ? .failed(SavedValueError.slowStore) : nil
  }

  /// Whether there are changes that the store does not have.
  var isBehind: Bool {
    // Bulk calls that wait for the store to be read are changes, too.
    let isBehindLater = isLoading && (dropsLoaded || !pendingMarks.isEmpty)
    let isAtWork = !encoding.isEmpty || !sweeping.isEmpty || !underWay.isEmpty
    return isDirty || isAtWork || isBehindLater
  }

  /// Whether there are changes to encode or to write.
  var isDirty: Bool {
    if case .closed = phase { return false }
    return !pendingChanges.isEmpty || !unwritten.isEmpty || !calls.isEmpty || !sweeps.isEmpty
  }

  // MARK: Changes of entries

  /// Notes a change of an entry.
  ///
  /// - Returns: The changes that are given up, with users' values; the caller releases them outside of locks.
  mutating func note(_ change: PendingChange, of key: EntryKey) -> [PendingChange] {
    if case .closed(let error) = phase {
      if case .changed(let entry) = change, entry.isUntouched, !entry.isInvalidated {
        return [change]
      }
      lossReason = error
      return [change]
    }
    // An earlier change of the key still waits, so only an invalidation can be new.
    if case .changed(let entry) = change, entry.isUntouched, let known = pendingChanges[key] {
      if case .changed(var former) = known {
        former.isInvalidated = entry.isInvalidated
        _ = pendingChanges.put(.changed(former), key)
      }
      return [change]
    }
    let former = pendingChanges.put(change, key).map { [$0] } ?? []
    guard isHeldUp else { return former }
    // The store may be read or written only after hours, when a device is unlocked or a write that hangs
    // ends. Until then, waiting values may exceed the store's limit by a tenth. Beyond that, values are
    // dropped, as if the store had been full.
    let (dropped, givenUp) = pendingChanges.bound(to: limit.maxRecords)
    givenUpCount += givenUp
    return former + dropped
  }

  /// Whether changes wait for a read or a write of the store, and not only for the next round of writing.
  private var isHeldUp: Bool {
    isLoading || !sweeping.isEmpty || !underWay.isEmpty || !unwritten.isEmpty
  }

  /// Returns the number of values that were dropped since the last call.
  mutating func takeGivenUp() -> Int {
    defer { givenUpCount = 0 }
    return givenUpCount
  }

  /// The keys of the removals, if these are too many to wait for the next round of writing; otherwise empty.
  var manyRemovals: [EntryKey] {
    guard case .open = phase, encoding.isEmpty, pendingChanges.removed.count > limit.maxRecords
    else {
      return []
    }
    return Array(pendingChanges.removed)
  }

  /// Applies removals to records before the next round of writing, so that keys without a stored record are
  /// not kept in memory until that round.
  mutating func settledRemovals(_ removals: [(key: EntryKey, text: String?)]) {
    guard case .open = phase, encoding.isEmpty else { return }
    for (key, text) in removals where pendingChanges.forgetRemoval(key) {
      if let text { remove(Self.prefix + text) }
    }
  }

  /// Notes that an entry was removed.
  ///
  /// An entry without data may still wait for its record to be read or decoded, so the entry's removal does
  /// not remove the record. ``apply(_:removes:except:)`` removes such records.
  ///
  /// - Returns: The replaced changes with users' values, which the caller releases outside of locks.
  mutating func noteRemoval(of key: EntryKey, hadData: Bool) -> [PendingChange] {
    if !hadData, pendingChange(of: key) == nil { return [] }
    return note(.removed, of: key)
  }

  /// Returns the keys of entries that match a filter and have a change that is not encoded yet.
  func changedKeys(_ filter: QueryFilter) -> Set<EntryKey> {
    if let key = filter.exactKey {
      if case .changed = pendingChange(of: key) { return [key] }
      return []
    }
    var keys: Set<EntryKey> = []
    for (key, entry) in pendingChanges.changed where filter.matches(entry.info) { keys.insert(key) }
    for (key, change) in encoding where pendingChanges[key] == nil {
      if case .changed(let entry) = change, filter.matches(entry.info) { keys.insert(key) }
    }
    return keys
  }

  /// The entries that have a change which is not encoded yet, and is no removal.
  var changedArrivals: [(key: EntryKey, entry: PersistedEntry)] {
    let settling = encoding.compactMap { key, change -> (key: EntryKey, entry: PersistedEntry)? in
      guard case .changed(let entry) = change, pendingChanges[key] == nil else { return nil }
      return (key, entry)
    }
    return settling + pendingChanges.changed.map { ($0.key, $0.value) }
  }

  /// Applies a bulk call to changes that are not encoded yet: turns them into removals, or invalidates them.
  ///
  /// - Parameters:
  ///   - keys: The keys of the entries.
  ///   - removes: Whether the changes become removals.
  /// - Returns: The replaced changes with users' values, which the caller releases outside of locks.
  mutating func apply(to keys: Set<EntryKey>, removes: Bool) -> [PendingChange] {
    keys.compactMap { key in
      guard case .changed(var entry) = pendingChange(of: key) else { return nil }
      if removes { return pendingChanges.put(.removed, key) }
      entry.isInvalidated = true
      return pendingChanges.put(.changed(entry), key)
    }
  }

  /// Notes that all entries were removed.
  ///
  /// - Returns: The replaced changes, which the caller releases outside of locks.
  mutating func noteRemovalOfAll() -> [EntryKey: PendingChange] {
    let old = pendingChanges.take()
    for key in encoding.keys { _ = pendingChanges.put(.removed, key) }
    unwritten.formUnion(records.keys)
    records = [:]
    byteCount = 0
    evicted = [:]
    switch phase {
    case .loading: dropsLoaded = true
    case .open: sweeps = [RecordFilter(.all): []]
    case .closed(let error): lossReason = error
    }
    pendingMarks = [:]
    return old
  }

  /// Returns the change of an entry that is not encoded yet, if there is one.
  func pendingChange(of key: EntryKey) -> PendingChange? { pendingChanges[key] ?? encoding[key] }

  /// Takes the changes that have to be encoded, which ``pendingChange(of:)`` still returns until
  /// ``encoded(_:)`` is called.
  mutating func takePendingChanges() -> [EntryKey: PendingChange] {
    guard encoding.isEmpty, !isLoading else { return [:] }
    // The stored bulk calls are applied first: they came before these changes, and must not apply to them.
    applyCalls()
    removedBefore = pendingChanges.removedBefore
    encoding = pendingChanges.take()
    return encoding
  }

  /// Whether the record of an entry has another state than the entry, and has to be saved again.
  func isOutdated(_ text: String, _ stamp: Stamp) -> Bool {
    records[Self.prefix + text]?.stamp != stamp
  }

  /// Applies the encoded changes to the records.
  ///
  /// - Parameter encodedChanges: The encoded changes, with the texts of their keys.
  /// - Returns: The changes before they were encoded, with users' values; the caller releases them outside of
  ///   locks.
  mutating func encoded(
    _ encodedChanges: [(text: String, EncodedChange)]
  ) -> [EntryKey: PendingChange] {
    if case .closed = phase { return [:] }
    applyCalls()
    for (text, encodedChange) in encodedChanges {
      let text = Self.prefix + text
      switch encodedChange {
      case .save(let value, let stamp): put(value, stamp, text)
      case .mark(let isInvalidated): mark(text, isInvalidated)
      case .remove: remove(text)
      }
    }
    var old: [EntryKey: PendingChange] = [:]
    swap(&old, &encoding)
    removedBefore = []
    return old
  }

  // MARK: Records

  /// Returns the record of an entry, and notes the use.
  mutating func use(_ text: String) -> SavedValue? {
    for call in calls { apply(call, to: Self.prefix + text) }
    let text = Self.prefix + text
    guard var record = records[text] else { return nil }
    useSerial += 1
    record.use = useSerial
    records[text] = record
    return record.value
  }

  /// Removes a record that cannot be used, unless it has another value by now.
  mutating func drop(_ text: String, _ value: SavedValue) {
    if records[Self.prefix + text]?.value == value { forget(Self.prefix + text) }
  }

  /// Whether a reader (a value type and a version) has already failed to decode the record of a key.
  func isUnreadable(_ text: String, by reader: Reader) -> Bool {
    records[Self.prefix + text]?.failedReaders.contains(reader) == true
  }

  /// Notes that a reader (a value type and a version) could not decode a record; another one may decode it.
  ///
  /// - Parameters:
  ///   - text: The text of the record's key.
  ///   - value: The value that could not be decoded; the record may have another one by now.
  ///   - reader: The reader.
  /// - Returns: Whether this was not noted before.
  mutating func noteUnreadable(_ text: String, _ value: SavedValue, by reader: Reader) -> Bool {
    guard records[Self.prefix + text]?.value == value else { return true }
    return records[Self.prefix + text]?.failedReaders.insert(reader).inserted ?? true
  }

  /// Removes a record, also one that was evicted, whose key is in `unwritten` already.
  mutating func remove(_ text: String) {
    forget(text)
    evicted[text] = nil
  }

  /// Sets the invalidation of a record, even if it was evicted because the store is full.
  mutating func mark(_ text: String, _ isInvalidated: Bool) {
    if let former = records[text]?.value.isInvalidated {
      guard former != isInvalidated else { return }
      records[text]?.value.isInvalidated = isInvalidated
      unwritten.insert(text)
    } else if let former = evicted[text]?.value.isInvalidated, former != isInvalidated {
      evicted[text]?.value.isInvalidated = isInvalidated
      evicted[text]?.isChanged = true
    }
  }

  private mutating func put(_ value: SavedValue, _ stamp: Stamp?, _ text: String) {
    useSerial += 1
    var record = Record(value: value, stamp: stamp, use: useSerial)
    record.isStored = (records[text] ?? evicted[text])?.isStored ?? false
    evicted[text] = nil
    let old = records.updateValue(record, forKey: text)
    byteCount += value.data.count - (old?.value.data.count ?? -text.utf8.count)
    unwritten.insert(text)
  }

  mutating func forget(_ text: String) {
    guard let old = records.removeValue(forKey: text) else { return }
    byteCount -= old.value.data.count + text.utf8.count
    unwritten.insert(text)
  }
}
