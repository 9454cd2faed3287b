public import StreamQuery

extension AsyncSequence {
  /// Waits for the first result with data, and returns the data.
  ///
  /// Cached data of any age counts; a placeholder does not.
  ///
  /// ```swift
  /// let user = try await client.stream(.user(42)).firstValue()
  /// ```
  ///
  /// - Parameter isolation: The isolation of the caller; leave it to its default.
  /// - Returns: The data; the iteration ends with it.
  /// - Throws: The error of a first fetch that failed after its retries, this sequence's own failure, or
  ///   `CancellationError` if the task is cancelled or the sequence ends without data.
  @discardableResult
  public func firstValue<Value>(
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Value where Element == QueryResult<Value> {
    var iterator = makeAsyncIterator()
    while let result = try await iterator.next(isolation: isolation) {
      if result.hasRealData, let data = result.data { return data }
      // The error is not thrown while a fetch runs, because the fetch may still succeed.
      if let error = result.error, !result.isFetching { throw error }
    }
    throw CancellationError()
  }
}
