/// Structural reuse: what is equal in a new value is taken from the old one.
///
/// Reused parts keep their storage and, if they are objects, their identity, so that comparing them
/// again costs nothing and rows that did not change are seen not to.
package enum Sharing {
  /// The old value if the new one equals it.
  package static func whole<Value: Equatable>(_ old: Value, _ new: Value) -> Value {
    old == new ? old : new
  }

  /// The new collection with old elements at the positions where both are equal.
  ///
  /// - Complexity: O(*n*) comparisons.
  package static func byPosition<Value: RangeReplaceableCollection>(
    _ old: Value,
    _ new: Value
  ) -> Value where Value.Element: Equatable {
    var oldElements = old.makeIterator()
    return make(old, new) { element in
      oldElements.next().flatMap { $0 == element ? $0 : nil }
    }
  }

  /// The new collection with old elements in place of equal ones of the same identity, wherever
  /// they moved.
  ///
  /// - Complexity: O(*n*) comparisons and look-ups. If an identity comes more than once, the first
  ///   old element of it counts.
  package static func byIdentity<Value: RangeReplaceableCollection>(
    _ old: Value,
    _ new: Value
  ) -> Value where Value.Element: Equatable & Identifiable {
    let known = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
    return make(old, new) { element in
      known[element.id].flatMap { $0 == element ? $0 : nil }
    }
  }

  private static func make<Value: RangeReplaceableCollection>(
    _ old: Value,
    _ new: Value,
    reused: (Value.Element) -> Value.Element?
  ) -> Value {
    var result = Value()
    result.reserveCapacity(new.count)
    for element in new { result.append(reused(element) ?? element) }
    return result
  }
}
