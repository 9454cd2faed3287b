public import StreamQuery

extension AsyncSequence {
  /// Omits results in which none of the named fields changed.
  ///
  /// Use it for a view that shows only part of a result.
  ///
  /// ```swift
  /// client.stream(.users).changes(of: .data, .error)
  /// ```
  ///
  /// The first result is let through. Each other result is compared with the last one that passed.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result is kept, to compare.
  ///
  /// - Parameters:
  ///   - field: A field that must change.
  ///   - others: Fields that may change instead.
  /// - Returns: Results in which a field changed.
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
  /// - Returns: The result, if one of the fields differs.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let last, !fields.differ(last, result) { return nil }
    last = result
    return result
  }
}
