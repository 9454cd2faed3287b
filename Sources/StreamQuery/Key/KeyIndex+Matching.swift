extension KeyIndex {
  /// Calls the body with the id of every entry whose key begins with a prefix, oldest first.
  ///
  /// - Parameters:
  ///   - prefix: The prefix, see ``AnyQueryKey/isPrefix(of:)``.
  ///   - body: Called once for each entry, after the search has ended.
  /// - Complexity: O(*m* log *m*), where *m* is the number of matches. A record or array in the
  ///   prefix, which more than one part can satisfy, examines everything at its level.
  package func forEachMatch(of prefix: AnyQueryKey, _ body: (Int32) -> Void) {
    var matches: [Int32] = []
    var walk = Walk(of: prefix)
    advance(&walk) { matches.append($0) }
    // A walk yields each prefix's entries in order; only several of them together need sorting.
    if !isInOrder(matches) {
      matches.sort { entries[Int($0)].order < entries[Int($1)].order }
    }
    for position in matches { body(entries[Int(position)].id) }
  }

  private func isInOrder(_ positions: [Int32]) -> Bool {
    var last: UInt64 = 0
    for position in positions {
      let order = entries[Int(position)].order
      guard order > last else { return false }
      last = order
    }
    return true
  }
}
