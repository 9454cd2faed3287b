public import StreamQuery

extension AsyncSequence {
  /// Shows a placeholder while there is neither data nor an error.
  ///
  /// The result has status success and `isPlaceholderData`; the value is never cached.
  ///
  /// ```swift
  /// client.stream(.users).placeholder([.ada])
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter value: The placeholder.
  /// - Returns: Results with a placeholder for missing data.
  public func placeholder<Value>(
    _ value: Value
  ) -> ResultSequence<Self, _PlaceholderStep<Value>> where Element == QueryResult<Value> {
    ResultSequence(self, _PlaceholderStep(box: TypedBox(value)))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `placeholder(_:)` with a value.
public struct _PlaceholderStep<Value: Sendable>: _ResultStep, Sendable {
  /// One box for all results, so that each selection from it is made once.
  let box: TypedBox<Value>

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, with the placeholder while it is pending.
  public func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    result.isPending ? result.standingIn(box) : result
  }
}
