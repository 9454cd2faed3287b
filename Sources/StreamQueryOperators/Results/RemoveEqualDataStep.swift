public import StreamQuery

extension AsyncSequence {
  /// Omits results with the same data, status and error as the one before.
  ///
  /// Errors that are not `Equatable` are the same only if they belong to the same fetch.
  ///
  /// Fetch status, times and counts are not compared, so that a refetch which brings the same data
  /// gives no result. Use `changes(of:)` to choose the fields. A placeholder and equal real data
  /// are not the same.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result is kept, to compare.
  ///
  /// - Returns: Results that differ from the one before.
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
  /// - Returns: The result, unless it equals the last one in this way.
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
