public import StreamQuery

extension AsyncSequence {
  /// Collects results up to and including the first one that satisfies a condition.
  ///
  /// ```swift
  /// let snapshots = await client.stream(.user(42)).collect(until: \.isSuccess)
  /// ```
  ///
  /// - Complexity: O(*n*) memory in the number of results.
  /// - Parameters:
  ///   - isolation: The isolation of the caller; leave it to its default.
  ///   - isLast: Returns whether a result satisfies the condition.
  /// - Returns: The results; fewer if the sequence ends or the task is cancelled earlier.
  /// - Throws: This sequence's failure.
  public func collect<Value>(
    isolation: isolated (any Actor)? = #isolation,
    until isLast: (Element) -> Bool
  ) async throws(Failure) -> [Element] where Element == QueryResult<Value> {
    var iterator = makeAsyncIterator()
    var elements: [Element] = []
    while let element = try await iterator.next(isolation: isolation) {
      elements.append(element)
      if isLast(element) { break }
    }
    return elements
  }

  /// Collects a number of results.
  ///
  /// A stream omits results if the consumer does not ask for them in time, so a number means little: prefer
  /// `collect(until:)` with a state.
  ///
  /// - Complexity: O(*n*) memory in the number of results.
  /// - Parameters:
  ///   - count: The number of results; zero or less collects none and does not iterate.
  ///   - isolation: The isolation of the caller; leave it to its default.
  /// - Returns: The results; fewer if the sequence ends or the task is cancelled earlier.
  /// - Throws: This sequence's failure.
  public func collect<Value>(
    _ count: Int,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(Failure) -> [Element] where Element == QueryResult<Value> {
    var missing = count
    guard missing > 0 else { return [] }
    return try await collect(isolation: isolation) { _ in
      missing -= 1
      return missing == 0
    }
  }
}
