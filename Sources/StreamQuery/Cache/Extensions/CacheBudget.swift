/// The limit of a cache, and the order of eviction.
struct CacheBudget: Sendable {
  var order: EvictionOrder
  /// The size of keys above which an entry is evicted as soon as nobody uses it.
  private let maxKeySize: Int
  /// Whether a function of the user evaluates the cost of entries.
  private let isMeasured: Bool
  /// The data of each slot whose cost was evaluated or is about to be; `nil` if there is none.
  private var measured: [ObjectIdentifier?] = []

  init(_ limit: CacheLimit) {
    order = EvictionOrder(maxEntries: limit.maxEntries, maxCost: limit.maxCost)
    maxKeySize = limit.maxKeySize ?? .max
    isMeasured = limit.maxCost != nil && limit.cost != nil
  }

  /// Adds a new entry.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - key: Its key.
  ///   - isCrowded: Whether too many keys have the hash of this key.
  mutating func added(_ index: Int, _ key: KeyStorage, isCrowded: Bool) {
    let isPassing = isCrowded || maxKeySize != .max && key.isLarger(than: maxKeySize)
    order.added(index, hash: key.hash, isPassing: isPassing)
  }

  /// Records the data of an entry, and returns whether the cost has to be evaluated because the data is new.
  ///
  /// The former data is released only after the present data came, so the two have different identities.
  mutating func isNews(_ data: ValueBox?, _ index: Int) -> Bool {
    guard isMeasured else { return false }
    while measured.count <= index { measured.append(nil) }
    let identity = data.map { ObjectIdentifier($0) }
    guard measured[index] != identity else { return false }
    measured[index] = identity
    if data == nil { order.measured(index, cost: 1) }
    return data != nil
  }

  /// Removes an entry.
  mutating func removed(_ index: Int) {
    order.removed(index)
    if index < measured.count { measured[index] = nil }
  }

  /// Renumbers the entries that moved to other slots, and removes all others.
  mutating func moved(_ kept: [Int32]) {
    order.moved(kept)
    guard isMeasured else { return }
    let old = measured
    measured = kept.map { Int($0) < old.count ? old[Int($0)] : nil }
  }
}
