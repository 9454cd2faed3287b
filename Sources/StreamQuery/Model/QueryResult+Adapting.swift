/// For authors of adapters: what to show at first, and what two results have in common.
extension QueryResult {
  /// What is shown before anything is observed: pending, and not fetching.
  public static var idle: Self { Self(snapshot: .empty, flags: []) }

  /// Whether both are the same snapshot; quick, and `false` may still mean that they look alike.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether nothing differs.
  public func isSame(as other: Self) -> Bool {
    snapshot === other.snapshot && flags == other.flags
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
}
