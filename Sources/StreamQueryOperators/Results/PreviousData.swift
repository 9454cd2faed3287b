internal import StreamQuery

/// Stores the last result with data, which is shown while the next key has none.
struct PreviousData<Value: Sendable>: Sendable {
  private var last: QueryResult<Value>?

  /// Receives the next result, and stores it if it has data.
  ///
  /// - Parameter result: The next result.
  /// - Returns: The last result with data of another key, if the present key has neither data nor an error.
  mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if result.hasRealData {
      last = result
      return nil
    }
    // The key itself has lost its data, by a reset or a removal. That data must not be shown again, for this
    // key or the next one. The key may have a placeholder or an error by now.
    if let last, last.snapshot.key == result.snapshot.key { self.last = nil }
    return result.isPending ? last : nil
  }
}
