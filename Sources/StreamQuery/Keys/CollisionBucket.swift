/// The positions with one hash for which a ``HashTable`` has no slots left.
///
/// Positions whose keys can be compared are sorted by key, so that one of *n* is found with a logarithmic
/// number of comparisons; the others are examined one by one.
struct CollisionBucket: Sendable {
  private var sorted: [Int32] = []
  private var others: [Int32] = []

  /// The most positions that a search examines one by one; a cache with a size limit drops entries that would
  /// exceed this number.
  static let most = 192

  var count: Int { sorted.count + others.count }

  /// A position that may move from this bucket to a slot that becomes free.
  var first: Int32? { others.first ?? sorted.first }

  /// Returns the first position that satisfies a condition.
  ///
  /// - Parameters:
  ///   - isWanted: Whether a position is the wanted one.
  ///   - order: How the wanted key compares to the key at a position.
  /// - Returns: The position.
  func first(where isWanted: (Int32) -> Bool, _ order: (Int32) -> KeyOrder?) -> Int32? {
    var found: Int32?
    forEach(order) { position in
      guard isWanted(position) else { return true }
      found = position
      return false
    }
    return found
  }

  /// Calls the body with each position that may be the wanted one, until the body returns `false`.
  func forEach(_ order: (Int32) -> KeyOrder?, _ goesOn: (Int32) -> Bool) {
    if let start = lowerBound(order) {
      for position in sorted[start...] {
        // If keys cannot be compared any more (`nil`), the loop goes on: the wanted position may come later.
        if order(position) == .before { break }
        guard goesOn(position) else { return }
      }
    } else {
      for position in sorted where !goesOn(position) { return }
    }
    for position in others where !goesOn(position) { return }
  }

  /// Adds a position.
  ///
  /// - Returns: How many positions a search for the added one examines one by one; 0 if its key has an order.
  mutating func insert(_ position: Int32, _ order: (Int32) -> KeyOrder?) -> Int {
    // Comparing the position with itself shows, even without other positions, whether its key has an order.
    if order(position) != nil, let index = lowerBound(order) {
      sorted.insert(position, at: index)
      return 0
    }
    others.append(position)
    return others.count
  }

  /// Removes a position; `false` if it is not there.
  mutating func remove(_ position: Int32) -> Bool {
    if let index = others.firstIndex(of: position) {
      others.remove(at: index)
    } else if let index = sorted.firstIndex(of: position) {
      sorted.remove(at: index)
    } else {
      return false
    }
    return true
  }

  /// The first index in `sorted` at which the key does not come before the wanted one; `nil` if keys cannot
  /// be compared.
  private func lowerBound(_ order: (Int32) -> KeyOrder?) -> Int? {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = low + (high - low) / 2
      guard let order = order(sorted[middle]) else { return nil }
      if order == .after { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
