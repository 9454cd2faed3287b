public import StreamQuery

extension AsyncSequence {
  /// Leaves out results that show the same as the one before: equal data, status and error.
  ///
  /// Errors that are not `Equatable` are the same only if they are of the same fetch.
  ///
  /// A refetch that brings the same data is not shown, nor that it ran: fetch status, times and
  /// counts are not compared. Use `changes(of:)` to choose what counts. A placeholder and
  /// equal real data are not the same.
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
  /// - Returns: The result, unless it shows the same as the last one.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let last, isSame(last, result) { return nil }
    last = result
    return result
  }

  private func isSame(_ old: QueryResult<Value>, _ new: QueryResult<Value>) -> Bool {
    guard old.isPlaceholderData == new.isPlaceholderData, old.hasEqualError(to: new) else {
      return false
    }
    // Values are compared only where the box does not say it already.
    return old.snapshot.data === new.snapshot.data || old.data == new.data
  }
}
