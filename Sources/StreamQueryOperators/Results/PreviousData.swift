internal import StreamQuery

/// The last result with data of the key before the present one.
struct PreviousData<Value: Sendable>: Sendable {
  private var last: QueryResult<Value>?

  /// Stores a result.
  ///
  /// - Parameter result: The newest result.
  /// - Returns: The last result with data of another key, if the present key has none yet.
  mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if result.hasRealData {
      last = result
      return nil
    }
    guard result.isPending else { return nil }
    // A key that lost its data was reset or removed: the old data must not come back for this key
    // or the next one.
    if let last, last.snapshot.key == result.snapshot.key { self.last = nil }
    return last
  }
}
