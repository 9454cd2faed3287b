public import StreamQuery

extension AsyncSequence {
  /// Shows a placeholder while there is neither data nor an error.
  ///
  /// A result with the placeholder has status success and `isPlaceholderData`; the placeholder is never
  /// cached.
  ///
  /// ```swift
  /// client.stream(.users).placeholder([.ada])
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter value: The placeholder.
  /// - Returns: Results with the placeholder in place of missing data.
  public func placeholder<Value>(
    _ value: Value
  ) -> ResultSequence<Self, _PlaceholderStep<Value>> where Element == QueryResult<Value> {
    ResultSequence(self, _PlaceholderStep(box: TypedBox(value)))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `placeholder(_:)` with a value.
public struct _PlaceholderStep<Value: Sendable>: _ResultStep, Sendable {
  /// All results have this one box, so that each selection from the placeholder is made once.
  let box: TypedBox<Value>

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result; if it is pending, the placeholder is its data.
  public func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    result.isPending ? result.standingIn(box) : result
  }
}
