/// For authors of adapters: the first result, and comparisons of two results.
extension QueryResult {
  /// The result before a query is observed: pending, and not fetching.
  public static var idle: Self { Self(snapshot: .empty, flags: []) }

  /// Whether both results are the same snapshot; a quick test, and `false` does not mean that they differ.
  ///
  /// A view may make its query anew each time that it is drawn. Two placeholders therefore count as
  /// the same unless they are `Equatable` and differ.
  ///
  /// - Parameter other: Another result.
  /// - Returns: `true` only if nothing differs.
  @_spi(Adapters) public func isSame(as other: Self) -> Bool {
    flags == other.flags && snapshot.isSame(as: other.snapshot, flags)
  }

  /// Whether both results show the same data.
  ///
  /// The same object is the same data. Other data is compared by value if it is `Equatable`;
  /// otherwise it is different.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether both have no data, or the same.
  /// - Complexity: That of `==`, if the data is another object.
  @_spi(Adapters) public func hasSameData(as other: Self) -> Bool {
    guard snapshot.data !== other.snapshot.data else { return true }
    guard let data, let otherData = other.data else { return false }
    return Equality.compare(data, otherData) == true
  }

  /// Whether both results show the same failure; each failed fetch is a failure of its own.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether both have no error, or the error of the same fetch.
  @_spi(Adapters) public func hasSameError(as other: Self) -> Bool {
    snapshot.error === other.snapshot.error
  }

  /// Whether both results have no error, or errors that are equal or of the same fetch.
  package func hasEqualError(to other: Self) -> Bool {
    guard !hasSameError(as: other) else { return true }
    guard let error, let otherError = other.error else { return false }
    return Equality.compare(error: error, otherError)
  }
}

extension EntrySnapshot {
  /// Whether both snapshots are the same, or differ only in placeholders that cannot be compared or are
  /// equal.
  @inline(__always)
  func isSame(as other: EntrySnapshot, _ flags: QueryFlags) -> Bool {
    self === other || flags.contains(.placeholder) && standsIn(like: other)
  }

  // Each read of an entry without data makes a new snapshot with the placeholder. So two snapshots
  // of one state are different objects, and all properties are compared: equal versions alone are
  // not enough, because the other snapshot may be that of another client.
  private func standsIn(like other: EntrySnapshot) -> Bool {
    guard version == other.version, key == other.key, layered === other.layered,
      error === other.error, failureReason === other.failureReason, feature === other.feature,
      facts.showTheSame(as: other.facts), isInvalidated == other.isInvalidated,
      isOptimistic == other.isOptimistic, source === other.source,
      let base, let otherBase = other.base
    else { return false }
    return !(base.valueType is any Equatable.Type) || base.holdsTheSame(as: otherBase)
  }
}

/// Equality of values, for code that does not know whether they can be compared.
///
/// Conformance is checked at run time rather than by an overload, so that a generic call site behaves like
/// one that knows the type. This happens where the values are compared, because a conformance that is
/// isolated to an actor holds only there.
package enum Equality {
  /// Compares two values.
  ///
  /// This runs user code, so do not call it under the lock.
  ///
  /// - Parameters:
  ///   - old: One value.
  ///   - new: The other value.
  /// - Returns: Whether they are equal; `nil` if values of the type cannot be compared.
  package static func compare<Value>(_ old: Value, _ new: Value) -> Bool? {
    // The type is cast and not the value, because the value would be allocated as an existential.
    guard let type = Value.self as? any Equatable.Type else { return nil }
    return areEqual(old, new, as: type)
  }

  /// Whether two errors are known to be equal.
  ///
  /// This runs user code, so do not call it under the lock.
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
    // `Known` and `Value` are the same type, so the casts never fail.
    guard let old = old as? Known, let new = new as? Known else { return false }
    return old == new
  }
}
