/// The positions of one hash that have no slot in a ``PositionTable``.
///
/// Those that can be compared stand in order, so that one is found among *n* by a logarithm of comparisons;
/// the others are looked at one by one.
struct PositionCrowd: Sendable {
  private var sorted: [Int32] = []
  private var others: [Int32] = []

  var count: Int { sorted.count + others.count }

  /// One that takes the place of whoever leaves the slots.
  var first: Int32? { others.first ?? sorted.first }

  /// Returns the first position that satisfies a condition.
  ///
  /// - Parameters:
  ///   - isWanted: Whether a position is looked for.
  ///   - order: How what is looked for stands to a position.
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

  /// Calls the body with all that may be what is looked for, until it says that it has enough.
  func forEach(_ order: (Int32) -> KeyOrder?, _ goesOn: (Int32) -> Bool) {
    if let start = place(order) {
      for position in sorted[start...] {
        // An order that is none any more ends nothing: what comes may be what is looked for.
        if order(position) == .before { break }
        guard goesOn(position) else { return }
      }
    } else {
      for position in sorted where !goesOn(position) { return }
    }
    for position in others where !goesOn(position) { return }
  }

  /// Adds a position.
  mutating func insert(_ position: Int32, _ order: (Int32) -> KeyOrder?) {
    // Also alone it must have an order: to itself.
    if order(position) != nil, let place = place(order) {
      sorted.insert(position, at: place)
    } else {
      others.append(position)
    }
  }

  /// Removes a position; `false` if it is not there.
  mutating func remove(_ position: Int32) -> Bool {
    if let place = others.firstIndex(of: position) {
      others.remove(at: place)
    } else if let place = sorted.firstIndex(of: position) {
      sorted.remove(at: place)
    } else {
      return false
    }
    return true
  }

  /// The first place of which what is looked for does not come after; `nil` if there is no telling.
  private func place(_ order: (Int32) -> KeyOrder?) -> Int? {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = low + (high - low) / 2
      guard let order = order(sorted[middle]) else { return nil }
      if order == .after { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
