public import StreamQuery

extension AsyncSequence {
  /// Omits results that are not settled: a settled result has data or an error, and no fetch runs.
  ///
  /// Use this to get outcomes without progress. Placeholders are omitted. A fetch that is paused because the
  /// network is down counts as settled, because no other result is to be expected soon.
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
  public func settled<Value>() -> ResultSequence<Self, _SettledStep<Value>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _SettledStep())
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `settled()`.
public struct _SettledStep<Value: Sendable>: _ResultStep, Sendable {
  @usableFromInline
  init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, if it is settled.
  public func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    result.isPending || result.isFetching || result.isPlaceholderData ? nil : result
  }
}
