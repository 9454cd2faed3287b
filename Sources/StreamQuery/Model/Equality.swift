/// Equality of values, for code that does not know whether they can be compared.
///
/// Conformance is checked at run time rather than by an overload, so that a generic call site
/// behaves like one that knows the type. It is checked where the values are compared, because a
/// conformance that is isolated to an actor holds only there.
package enum Equality {
  /// Compares two values; runs user code, so never under the lock.
  ///
  /// - Parameters:
  ///   - old: One value.
  ///   - new: The other value.
  /// - Returns: Whether they are equal; `nil` if values of the type cannot be compared.
  package static func compare<Value>(_ old: Value, _ new: Value) -> Bool? {
    // Asks the type, not the value: as an existential, the value would be an allocation.
    guard let type = Value.self as? any Equatable.Type else { return nil }
    return areEqual(old, new, as: type)
  }

  /// Whether two errors are known to be equal; runs user code, so never under the lock.
  package static func compare(error old: any Error, _ new: any Error) -> Bool {
    func isEqual<Known: Error>(_ old: Known) -> Bool {
      (new as? Known).flatMap { compare(old, $0) } ?? false
    }
    return isEqual(old)
  }

  private static func areEqual<Value, Known: Equatable>(
    _ old: Value,
    _ new: Value,
    as type: Known.Type
  ) -> Bool {
    // The same type under another name, so that the cast never fails.
    guard let old = old as? Known, let new = new as? Known else { return false }
    return old == new
  }
}
