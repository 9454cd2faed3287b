public import StreamQuery

extension AsyncSequence {
  /// Runs an action for each new error of a result.
  ///
  /// Only errors that end a fetch count; errors of single attempts are in `failureReason`.
  ///
  /// ```swift
  /// client.stream(.user(1)).onFailure { print("no user: \($0)") }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence. A failure of this sequence itself is no result, and
  ///   the action does not get it.
  /// - Buffering: none, and no task. The last error is stored for the comparison.
  ///
  /// - Parameter action: Runs before the result is delivered, once for each error that the consumer gets: on
  ///   the actor on which the closure is written, or else on the consumer's actor.
  /// - Returns: The same results.
  @inlinable
  public func onFailure<Value>(
    @_inheritActorContext _ action: @escaping @Sendable @isolated(any) (any Error) -> Void
  ) -> EffectSequence<Self, _OnFailureStep<Value>> where Element == QueryResult<Value> {
    EffectSequence(self, _OnFailureStep(), ResultAction(action))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `onFailure(_:)`.
public struct _OnFailureStep<Value: Sendable>: _ResultStep, Sendable {
  private var last: ErrorBox?

  @usableFromInline
  init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The error of the result, if it is new.
  public mutating func take(_ result: QueryResult<Value>) -> (any Error)? {
    guard let error = result.snapshot.error, error !== last else { return nil }
    last = error
    return error.error
  }
}
