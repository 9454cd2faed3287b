public import StreamQuery

extension AsyncSequence {
  /// Omits results in which none of the named fields has changed, for a view that shows only a part of a
  /// result.
  ///
  /// ```swift
  /// client.stream(.users).changes(of: .data, .error)
  /// ```
  ///
  /// The first result passes. Each other result is compared with the last one that passed. Put `settled()`
  /// and `throwing(when:)` before this operator, because they need the result in which a fetch has ended.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result that passed is stored for the comparison.
  ///
  /// - Parameters:
  ///   - field: A field; results pass if it changes.
  ///   - others: Further fields; results also pass if one of these changes.
  /// - Returns: The results in which a field has changed.
  @inlinable
  public func changes<Value>(
    of field: QueryResultField,
    _ others: QueryResultField...
  ) -> ResultSequence<Self, _ChangesStep<Value>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _ChangesStep(fields: QueryResultFields([field] + others)))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `changes(of:)`.
public struct _ChangesStep<Value: Sendable>: _ResultStep, Sendable {
  let fields: QueryResultFields
  private var last: QueryResult<Value>?

  @usableFromInline
  init(fields: QueryResultFields) {
    self.fields = fields
  }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, if one of the fields has changed.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let last, !fields.differ(last, result) { return nil }
    last = result
    return result
  }
}
