/// The positions of one hash that have no slot in a ``HashTable``.
///
/// Positions that can be compared are sorted, so that one of *n* is found with a logarithmic number
/// of comparisons; the others are examined one by one.
struct CollisionBucket: Sendable {
  private var sorted: [Int32] = []
  private var others: [Int32] = []

  /// The number of positions without an order that are examined one by one, at most; a cache with a
  /// limit drops entries beyond it.
  static let most = 192

  var count: Int { sorted.count + others.count }

  /// A position of this bucket that may take the slot of one that is removed.
  var first: Int32? { others.first ?? sorted.first }

  /// Returns the first position that satisfies a condition.
  ///
  /// - Parameters:
  ///   - isWanted: Whether a position is the wanted one.
  ///   - order: How the wanted key compares to a position.
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
        // An order that has become invalid must not end the loop: the wanted one may come later.
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
  /// - Returns: How many positions a search for it examines one by one; 0 if it has an order.
  mutating func insert(_ position: Int32, _ order: (Int32) -> KeyOrder?) -> Int {
    // The order is asked for even if there is no other position: an order that the position has to
    // itself shows that it can be compared.
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

  /// The first place whose position does not come before the wanted key; `nil` if that is not
  /// known.
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
