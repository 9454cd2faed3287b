internal import StreamQuery

/// The last result with data of the key before the present one.
struct PreviousData<Value: Sendable>: Sendable {
  private var last: QueryResult<Value>?

  /// Takes note of a result.
  ///
  /// - Parameter result: The newest result.
  /// - Returns: For a key that has nothing to show yet, the last result with data of another one.
  mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if result.hasRealData {
      last = result
      return nil
    }
    guard result.isPending else { return nil }
    // A key that lost its data was reset or removed: the old data must not come back, neither for
    // this key nor for the next.
    if let last, last.snapshot.key == result.snapshot.key { self.last = nil }
    return last
  }
}
