/// The limit of a cache, and the order of eviction.
struct CacheBudget: Sendable {
  var order: EvictionOrder
  /// The largest key of an entry that is kept.
  private let maxKeySize: Int
  /// Whether a function of the user evaluates the cost of entries.
  private let isMeasured: Bool
  /// The data whose cost was evaluated, or is about to be, by slot.
  private var measured: [ObjectIdentifier?] = []

  init(_ limit: CacheLimit) {
    order = EvictionOrder(maxEntries: limit.maxEntries, maxCost: limit.maxCost)
    maxKeySize = limit.maxKeySize ?? .max
    isMeasured = limit.maxCost != nil && limit.cost != nil
  }

  /// An entry came.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - key: Its key.
  ///   - isCrowded: Whether too many keys have the same hash.
  mutating func added(_ index: Int, _ key: KeyStorage, isCrowded: Bool) {
    let isPassing = isCrowded || maxKeySize != .max && key.isLarger(than: maxKeySize)
    order.added(index, hash: key.hash, isPassing: isPassing)
  }

  /// Whether the cost of an entry has to be evaluated, because it has other data than before.
  ///
  /// The former data was there until the present data came, so no two have the same identity.
  mutating func isNews(_ data: ValueBox?, _ index: Int) -> Bool {
    guard isMeasured else { return false }
    while measured.count <= index { measured.append(nil) }
    let identity = data.map { ObjectIdentifier($0) }
    guard measured[index] != identity else { return false }
    measured[index] = identity
    if data == nil { order.measured(index, cost: 1) }
    return data != nil
  }

  /// An entry is gone.
  mutating func removed(_ index: Int) {
    order.removed(index)
    if index < measured.count { measured[index] = nil }
  }

  /// Entries moved to other slots, and all others are gone.
  mutating func moved(_ kept: [Int32]) {
    order.moved(kept)
    guard isMeasured else { return }
    let old = measured
    measured = kept.map { Int($0) < old.count ? old[Int($0)] : nil }
  }
}
