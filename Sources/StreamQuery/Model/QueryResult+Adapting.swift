/// For authors of adapters: what to show at first, and what two results have in common.
extension QueryResult {
  /// What is shown before anything is observed: pending, and not fetching.
  public static var idle: Self { Self(snapshot: .empty, flags: []) }

  /// Whether both are the same snapshot; quick, and `false` may still mean that they look alike.
  ///
  /// A view may say a query anew each time that it is drawn: placeholders are the same unless they
  /// are `Equatable` and differ.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether nothing differs.
  public func isSame(as other: Self) -> Bool {
    flags == other.flags && snapshot.isSame(as: other.snapshot, flags)
  }

  /// Whether both show the same data.
  ///
  /// Data that the cache kept is the same at once. Other data is compared by value if it is
  /// `Equatable`; if it is not, it is different.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether both have no data, or the same.
  /// - Complexity: That of `==`, if the data is another object.
  public func hasSameData(as other: Self) -> Bool {
    guard snapshot.data !== other.snapshot.data else { return true }
    guard let data, let otherData = other.data else { return false }
    return Equality.compare(data, otherData) == true
  }

  /// Whether both show the same failure: each failed fetch is another one.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether both have no error, or that of the same fetch.
  public func hasSameError(as other: Self) -> Bool {
    snapshot.error === other.snapshot.error
  }

  /// Whether both have no error, or errors that are equal or of the same fetch.
  package func hasEqualError(to other: Self) -> Bool {
    guard !hasSameError(as: other) else { return true }
    guard let error, let otherError = other.error else { return false }
    return Equality.compare(error: error, otherError)
  }
}

extension EntrySnapshot {
  /// Whether both are the same, or differ in nothing but placeholders that are not known to differ.
  @inline(__always)
  func isSame(as other: EntrySnapshot, _ flags: QueryFlags) -> Bool {
    self === other || flags.contains(.placeholder) && standsIn(like: other)
  }

  // Each look makes a snapshot of its own over a placeholder. All that may differ is compared:
  // versions tell snapshots of one client apart, and the other one may be another client's.
  private func standsIn(like other: EntrySnapshot) -> Bool {
    guard version == other.version, key == other.key, layered === other.layered,
      error === other.error, failureReason === other.failureReason, feature === other.feature,
      fetchStatus == other.fetchStatus, cause == other.cause, part == other.part,
      failureCount == other.failureCount, errorUpdateCount == other.errorUpdateCount,
      dataUpdateCount == other.dataUpdateCount, dataUpdatedAt == other.dataUpdatedAt,
      errorUpdatedAt == other.errorUpdatedAt, isInvalidated == other.isInvalidated,
      isOptimistic == other.isOptimistic, source === other.source,
      let base, let otherBase = other.base
    else { return false }
    return !(base.valueType is any Equatable.Type) || base.holdsTheSame(as: otherBase)
  }
}
