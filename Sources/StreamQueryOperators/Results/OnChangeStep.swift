public import StreamQuery

extension AsyncSequence {
  /// Runs an action for each result.
  ///
  /// Put `changes(of:)` before this operator to choose the changes.
  ///
  /// ```swift
  /// client.stream(.user(1)).changes(of: .status).onChange { print($0.status) }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter action: Runs before the result is delivered: on the actor on which the closure is written,
  ///   or else on the consumer's actor.
  /// - Returns: The same results.
  @inlinable
  public func onChange<Value>(
    @_inheritActorContext _ action: @escaping @Sendable @isolated(any) (QueryResult<Value>) -> Void
  ) -> EffectSequence<Self, _OnChangeStep<Value>> where Element == QueryResult<Value> {
    EffectSequence(self, _OnChangeStep(), ResultAction(action))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `onChange(_:)`.
public struct _OnChangeStep<Value: Sendable>: _ResultStep, Sendable {
  @usableFromInline
  init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result.
  public func take(_ result: QueryResult<Value>) -> QueryResult<Value>? { result }
}
