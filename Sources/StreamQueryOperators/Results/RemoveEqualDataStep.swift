public import StreamQuery

extension AsyncSequence {
  /// Omits results with the same data, status and error as the last one that passed.
  ///
  /// Errors that are not `Equatable` are the same only if they belong to the same fetch.
  ///
  /// Fetch status, times and counts are not compared, so a refetch that brings the same data gives no result.
  /// Use `changes(of:)` to choose the fields. A placeholder never counts as the same as real data, even if
  /// both are equal. Put `settled()` and `throwing(when:)` before this operator, because they need the result
  /// in which a fetch has ended.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result that passed is stored for the comparison.
  ///
  /// - Returns: Results that differ from the last one that passed.
  @inlinable
  public func removeDuplicates<Value: Equatable>()
    -> ResultSequence<Self, _RemoveEqualDataStep<Value>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _RemoveEqualDataStep())
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `removeDuplicates()`.
public struct _RemoveEqualDataStep<Value: Equatable & Sendable>: _ResultStep, Sendable {
  private var last: QueryResult<Value>?

  @usableFromInline
  init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result; `nil` if data, status and error are those of the last one that passed.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let last, isSame(last, result) { return nil }
    last = result
    return result
  }

  private func isSame(_ old: QueryResult<Value>, _ new: QueryResult<Value>) -> Bool {
    guard old.isPlaceholderData == new.isPlaceholderData, old.hasEqualError(to: new) else {
      return false
    }
    // Values are compared only if their boxes differ.
    return old.snapshot.data === new.snapshot.data || old.data == new.data
  }
}
