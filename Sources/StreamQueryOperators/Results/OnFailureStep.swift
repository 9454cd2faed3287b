public import StreamQuery

extension AsyncSequence {
  /// Runs an action for each new error.
  ///
  /// Only errors that end a fetch count; `failureReason` has the errors of attempts.
  ///
  /// ```swift
  /// client.stream(.user(1)).onFailure { print("no user: \($0)") }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence. A failure of this sequence itself is not a
  ///   result, and the action does not see it.
  /// - Buffering: none, and no task. The last error is kept, to compare.
  ///
  /// - Parameter action: Runs before the result is delivered, once for each error that the consumer asks for.
  ///   An action that is written on an actor runs on it, any other on the consumer's actor.
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
  /// - Returns: Its error, if it is new.
  public mutating func take(_ result: QueryResult<Value>) -> (any Error)? {
    guard let error = result.snapshot.error, error !== last else { return nil }
    last = error
    return error.error
  }
}
