/// The writes that wait until it is known what a store keeps for their keys.
///
/// A value that is told what happens to keys. Writes of one key keep their order.
struct DeferredWrites: Sendable {
  struct Write: Sendable {
    let key: EntryKey
    /// How the query that is written to is kept; `nil` if the call does not say.
    let policy: (any PersistencePolicy)?
    /// Whether it is made although the key got data meanwhile: it was to keep that data out, or
    /// compares dates itself.
    let survivesData: Bool
    /// The run whose callback made the call.
    let job: MutationJob?
    let perform: @Sendable (QueryClient) -> Void
    /// Whether the key was invalidated after the call, which the write must not undo.
    var isInvalidated = false
  }

  /// How many wait at most: a store may be locked for hours.
  static let limit = 10_000

  private var writes: [Write] = []
  private var counts: [EntryKey: Int] = [:]
  private var isAtWork = false
  private var isAskedAgain = false

  var isEmpty: Bool { writes.isEmpty }

  /// The keys of the writes, each once, with the newest answer to how they are kept.
  var keys: [EntryKey: (any PersistencePolicy)?] {
    Dictionary(writes.map { ($0.key, $0.policy) }) { $1 ?? $0 }
  }

  /// Adds a write.
  ///
  /// - Returns: The write that is given up in its place, if too many wait.
  mutating func add(_ write: Write) -> Write? {
    writes.append(write)
    counts[write.key, default: 0] += 1
    guard writes.count > Self.limit else { return nil }
    let oldest = writes.removeFirst()
    forget(oldest.key)
    return oldest
  }

  /// Somebody is about to make writes.
  ///
  /// - Returns: Whether nobody is already making some; who does begins anew then.
  mutating func begin() -> Bool {
    guard isAtWork else {
      isAtWork = true
      return true
    }
    isAskedAgain = true
    return false
  }

  /// The writes that could be made were.
  ///
  /// - Returns: Whether somebody asked again meanwhile.
  mutating func goesOn() -> Bool {
    isAtWork = isAskedAgain
    isAskedAgain = false
    return isAtWork
  }

  /// Takes the first write of some keys.
  mutating func next(of keys: Set<EntryKey>) -> Write? {
    guard let index = writes.firstIndex(where: { keys.contains($0.key) }) else { return nil }
    let write = writes.remove(at: index)
    forget(write.key)
    return write
  }

  /// Removes the writes of some keys.
  ///
  /// - Parameters:
  ///   - keys: The keys; `nil` is all.
  ///   - sparesSurvivors: Whether writes stay that are made whatever data there is.
  /// - Returns: What was removed, to be released outside of locks.
  mutating func drop(_ keys: Set<EntryKey>?, sparesSurvivors: Bool = false) -> [Write] {
    if let keys, keys.allSatisfy({ counts[$0] == nil }) { return [] }
    func isDropped(_ write: Write) -> Bool {
      keys?.contains(write.key) ?? true && !(sparesSurvivors && write.survivesData)
    }
    let dropped = writes.filter(isDropped)
    writes.removeAll(where: isDropped)
    for write in dropped { forget(write.key) }
    return dropped
  }

  /// Some keys were invalidated.
  mutating func mark(_ keys: Set<EntryKey>) {
    for index in writes.indices where keys.contains(writes[index].key) {
      writes[index].isInvalidated = true
    }
  }

  private mutating func forget(_ key: EntryKey) {
    counts[key, default: 0] -= 1
    if counts[key] == 0 { counts[key] = nil }
  }
}
