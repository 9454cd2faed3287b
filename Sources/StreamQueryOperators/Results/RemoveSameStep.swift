public import StreamQuery

extension AsyncSequence {
  /// Omits results that a closure finds the same as the last one that passed.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result that passed is stored for the comparison.
  ///
  /// - Parameter areSame: Gets the last result that passed and the newest one; returns whether they are the
  ///   same.
  /// - Returns: Results that differ from the last one that passed.
  @inlinable
  public func removeDuplicates<Value>(
    by areSame: @escaping @Sendable (QueryResult<Value>, QueryResult<Value>) -> Bool
  ) -> ResultSequence<Self, _RemoveSameStep<Value>> where Element == QueryResult<Value> {
    ResultSequence(self, _RemoveSameStep(areSame: areSame))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `removeDuplicates(by:)` for a comparison.
public struct _RemoveSameStep<Value: Sendable>: _ResultStep, Sendable {
  private let areSame: @Sendable (QueryResult<Value>, QueryResult<Value>) -> Bool
  private var last: QueryResult<Value>?

  @usableFromInline
  init(areSame: @escaping @Sendable (QueryResult<Value>, QueryResult<Value>) -> Bool) {
    self.areSame = areSame
  }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, unless the closure finds it the same as the last one that passed.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let last, areSame(last, result) { return nil }
    last = result
    return result
  }
}
