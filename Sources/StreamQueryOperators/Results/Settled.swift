public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Only the results that came to rest: data or an error, and no fetch that runs.
  ///
  /// For code that wants outcomes rather than progress. Placeholders are left out. A fetch that is
  /// paused for want of a network counts as at rest, since nothing else will come for now.
  ///
  /// ```swift
  /// for await outcome in client.stream(.users).settled() { print(outcome.status) }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task.
  ///
  /// - Returns: The settled results.
  @inlinable
  public func settled<Value>() -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, SettledStep())
  }
}

extension AsyncSequence {
  /// Only the results that came to rest: data or an error, and no fetch that runs.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Returns: The settled results.
  @inlinable
  public func settled<Value>() -> some AsyncSequence<QueryResult<Value>, Failure>
  where Element == QueryResult<Value> {
    StepSequence(self, SettledStep())
  }
}

@usableFromInline
struct SettledStep<Value: Sendable>: ResultStep, Sendable {
  @usableFromInline
  init() {}

  @usableFromInline
  func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    result.isPending || result.isFetching || result.isPlaceholderData ? nil : result
  }
}
