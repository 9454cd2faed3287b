/// Equality of values, for code that does not know whether they can be compared.
///
/// The type is asked at run time and not by an overload, so that a generic call site behaves like one
/// that knows the type. It is asked where the values are compared: a conformance that belongs to an
/// actor holds only there.
package enum Equality {
  /// Compares two values; runs user code, so never under the lock.
  ///
  /// - Parameters:
  ///   - old: One value.
  ///   - new: The other one.
  /// - Returns: Whether they are equal; `nil` if values of the type cannot be compared.
  package static func compare<Value>(_ old: Value, _ new: Value) -> Bool? {
    // The type is asked and not the value, which as an existential would be an allocation.
    guard let type = Value.self as? any Equatable.Type else { return nil }
    return areEqual(old, new, as: type)
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
