/// The writes that wait until the stores of their keys have been read.
///
/// Writes of one key keep their order. If a key is removed, reset or written meanwhile, its writes are
/// dropped. If it is invalidated, its writes are marked, so that their data is invalidated too.
struct DeferredWrites: Sendable {
  struct Write: Sendable {
    let key: EntryKey
    /// The query that is written to; if the call named only a key, the definition has only the value type.
    let definition: QueryDefinition
    /// Whether the write is made even if the key got data meanwhile: a fencing update discards such
    /// data, and an import compares the dates itself.
    let survivesData: Bool
    /// The date when the data of an import was current; `nil` for an update.
    let importedAt: Double?
    /// The run whose callback made the call.
    let job: MutationJob?
    let perform: @Sendable (QueryClient) -> Void
    /// Applies the write to the data in the store, after the client has ended; `nil` leaves that
    /// data as it is.
    let change: @Sendable (KeptData?) -> KeptData?
    /// Whether the key was invalidated after the call; the write must not undo the invalidation.
    var isInvalidated = false
    /// Whether the cache has the result of the write.
    fileprivate var hasLanded = false
    fileprivate var serial: UInt64 = 0

    init(
      of key: EntryKey,
      _ definition: QueryDefinition,
      survivesData: Bool,
      importedAt: Double? = nil,
      job: MutationJob?,
      change: @escaping @Sendable (KeptData?) -> KeptData?,
      perform: @escaping @Sendable (QueryClient) -> Void
    ) {
      (self.key, self.definition, self.survivesData) = (key, definition, survivesData)
      (self.importedAt, self.job) = (importedAt, job)
      (self.change, self.perform) = (change, perform)
    }
  }

  /// The writes of one key, in order.
  private struct Line: Sendable {
    var writes: [Write?] = []
    var first = 0

    var rest: [Write] { writes[first...].compactMap(\.self) }

    mutating func next() -> Write? {
      defer { first += 1 }
      return writes[first].take()
    }
  }

  /// The maximum number of writes that wait, because a store may be locked for hours.
  static let limit = 10_000

  private var lines: [EntryKey: Line] = [:]
  private var count = 0
  private var serial: UInt64 = 0
  private var isAtWork = false
  private var isAskedAgain = false
  /// The write in progress; `nil` once it is done or dropped.
  private var present: Write?
  /// The keys that were written since a thread began to make writes.
  ///
  /// If such a key has data, the data comes from these writes. So ``drop(answered:)`` does not drop the other
  /// writes of the key, as it would after an answer of a fetch.
  private var written: Set<EntryKey> = []

  var isEmpty: Bool { lines.isEmpty }

  /// The keys of the writes, each once, with the newest policy for keeping them.
  var keys: [EntryKey: (any PersistencePolicy)?] {
    lines.mapValues { line in line.rest.reversed().lazy.compactMap(\.definition.persistence).first }
  }

  /// The keys of all writes, including the one in progress, each with the query of its newest write that has
  /// metadata, or else of its newest write.
  var queriesToMark: [EntryKey: QueryDefinition] {
    var queries: [EntryKey: QueryDefinition] = lines.compactMapValues { line in
      let definitions = line.rest.map(\.definition)
      return definitions.last { $0.options.meta != nil } ?? definitions.last
    }
    if let present, queries[present.key]?.options.meta == nil {
      queries[present.key] = present.definition
    }
    return queries
  }

  /// Whether a write of a key has not been made yet; later writes of the key wait behind it.
  func holds(_ key: EntryKey) -> Bool { lines[key] != nil || isMaking(key) }

  /// Whether the write in progress is of this key, and was not dropped.
  func isMaking(_ key: EntryKey) -> Bool { present?.key == key }

  /// Adds a write.
  ///
  /// - Returns: The oldest write, if too many wait: it is given up.
  mutating func enqueue(_ write: Write) -> Write? {
    serial += 1
    var write = write
    write.serial = serial
    lines[write.key, default: Line()].writes.append(write)
    count += 1
    guard count > Self.limit, let oldest = inOrder(lines.keys).first else { return nil }
    return removeOldest(oldest)
  }

  /// Lets a thread begin to make writes, unless another one makes them.
  ///
  /// - Returns: Whether the thread may begin; if another thread is making writes, the other thread
  ///   looks for more afterwards.
  mutating func beginNext() -> Bool {
    guard isAtWork else {
      isAtWork = true
      return true
    }
    isAskedAgain = true
    return false
  }

  /// Ends the work of a thread that has made all writes it could make.
  ///
  /// - Returns: Whether the thread has to look for more, because ``beginNext()`` was called meanwhile.
  mutating func goesOn() -> Bool {
    isAtWork = isAskedAgain
    isAskedAgain = false
    present = nil
    if !isAtWork { written = [] }
    return isAtWork
  }

  /// Keys in the order of their first writes.
  func inOrder(_ keys: some Sequence<EntryKey>) -> [EntryKey] {
    let first = keys.compactMap { key in lines[key].flatMap { $0.writes[$0.first] } }
    return first.sorted { $0.serial < $1.serial }.map(\.key)
  }

  /// Takes the first write of a key, to make it.
  mutating func next(of key: EntryKey) -> Write? {
    let write = removeOldest(key)
    present = write
    if write != nil { written.insert(key) }
    return write
  }

  /// Records that the cache has the result of the write in progress.
  mutating func writeLanded() { present?.hasLanded = true }

  /// Ends the write in progress.
  ///
  /// - Returns: The write, to be released outside of locks; `nil` if it was dropped.
  mutating func made() -> Write? { present.take() }

  private mutating func removeOldest(_ key: EntryKey) -> Write? {
    guard let write = lines[key]?.next() else { return nil }
    count -= 1
    if let line = lines[key], line.first == line.writes.count { lines[key] = nil }
    return write
  }

  /// Removes the writes of some keys, including the one in progress.
  ///
  /// - Parameter keys: The keys; `nil` is all.
  /// - Returns: The removed writes, in order, to be released outside of locks.
  mutating func drop(_ keys: Set<EntryKey>?) -> [Write] {
    var dropped: [Write] = []
    if let write = present, keys?.contains(write.key) ?? true {
      dropped = [write]
      present = nil
    }
    return dropped + takeWaiting(keys)
  }

  /// Takes the writes that the end of the client leaves to the stores.
  ///
  /// They include the write in progress, which would come too late for the cache, unless the cache has its
  /// result.
  ///
  /// - Returns: The writes, in order.
  mutating func takeLast() -> [Write] {
    guard let write = present, !write.hasLanded else { return takeWaiting() }
    present = nil
    return [write] + takeWaiting()
  }

  /// Takes the writes of some keys, except the one in progress.
  ///
  /// - Parameter keys: The keys; `nil` is all.
  /// - Returns: The writes, in order, to be released outside of locks.
  private mutating func takeWaiting(_ keys: Set<EntryKey>? = nil) -> [Write] {
    let dropped = (keys ?? Set(lines.keys)).compactMap { lines.removeValue(forKey: $0)?.rest }
      .joined().sorted { $0.serial < $1.serial }
    count -= dropped.count
    return dropped
  }

  /// Removes the writes of keys that got data meanwhile, except those with `survivesData`.
  ///
  /// - Returns: The removed writes, to be released outside of locks.
  mutating func drop(answered keys: Set<EntryKey>) -> [Write] {
    let dropped = takeWaiting(keys.subtracting(written))
    for write in dropped where write.survivesData {
      lines[write.key, default: Line()].writes.append(write)
      count += 1
    }
    return dropped.filter { !$0.survivesData }
  }

  /// Records in the writes of some keys that the keys were invalidated.
  mutating func mark(_ keys: Set<EntryKey>) {
    if let key = present?.key, keys.contains(key) { present?.isInvalidated = true }
    for key in keys {
      guard let line = lines[key] else { continue }
      for index in line.first..<line.writes.count {
        lines[key]?.writes[index]?.isInvalidated = true
      }
    }
  }
}

/// A write that still waits when its client ends, to be applied to the data in the store.
package struct LastWrite: Sendable {
  let write: DeferredWrites.Write
  /// The query; it says how the data is kept.
  let query: ResolvedQuery

  package var key: EntryKey { write.key }
  package var definition: QueryDefinition { query.definition }
  package var policy: (any PersistencePolicy)? { query.persistence }
  /// Whether the call named only the key, and no query.
  package var isOfKeyAlone: Bool { write.definition.isOfKeyAlone }
  /// The date when the data of an import was current; `nil` for an update.
  package var importedAt: Double? { write.importedAt }
  /// Whether the key was invalidated after the call.
  package var isInvalidated: Bool { write.isInvalidated }

  /// Applies the write to the data in the store.
  ///
  /// - Parameters:
  ///   - kept: The data in the store.
  ///   - isInvalidated: Whether the result is marked as invalidated even if the data is not.
  ///   - number: A number that no other entry has.
  ///   - date: The time, in seconds since the reference date.
  /// - Returns: The entry to keep; `nil` if the store keeps what it has.
  package func entry(
    from kept: KeptData?,
    isInvalidated: Bool,
    number: UInt64,
    at date: Double
  ) -> PersistedEntry? {
    guard let made = write.change(kept) else { return nil }
    let now = Timestamp(instant: Instant(nanoseconds: 0), date: date)
    let updatedAt = made.updatedAt.map(now.placing(date:)) ?? now
    var slot = EntrySlot()
    slot.key = key
    slot.query = query
    slot.machine = EntryMachine(at: now.instant)
    _ = slot.machine.written(
      updatedAt: updatedAt,
      isPart: made.isPart,
      fencing: false,
      in: Environment(now: now)
    )
    slot.data = made.box
    guard let info = slot.info(slot.makeSnapshot(version: 0), at: now.instant) else { return nil }
    let id = EntryID(index: 0, generation: number)
    var entry = PersistedEntry(id: id, info: info, query: query)
    entry.isInvalidated = made.isInvalidated || isInvalidated
    return entry
  }
}
