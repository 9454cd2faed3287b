public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Does something with each new error on its way through.
  ///
  /// Only errors that end a fetch count; `failureReason` shows those of attempts.
  ///
  /// ```swift
  /// client.stream(.user(1)).onFailure { print("no user: \($0)") }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence. A failure of this sequence itself is not a
  ///   result, and the action does not see it.
  /// - Buffering: none, and no task. The last error is kept, to compare.
  ///
  /// - Parameter action: Runs where the consumer is, before the result is delivered, once for each
  ///   error that the consumer asks for.
  /// - Returns: The same results.
  @inlinable
  public func onFailure<Value>(
    _ action: @escaping @Sendable (any Error) -> Void
  ) -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, OnFailureStep<Value, _>(action: SharedFunction(action)))
  }
}

extension AsyncSequence {
  /// Does something with each new error on its way through.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter action: Runs where the consumer is, before the result is delivered.
  /// - Returns: The same results.
  @inlinable
  public func onFailure<Value>(
    _ action: @escaping (any Error) -> Void
  ) -> some AsyncSequence<QueryResult<Value>, Failure> where Element == QueryResult<Value> {
    StepSequence(self, OnFailureStep<Value, _>(action: LocalFunction(action)))
  }
}

@usableFromInline
struct OnFailureStep<Value: Sendable, Action: UserFunction>: ResultStep
where Action.Input == any Error, Action.Output == Void, Action.Failure == Never {
  let action: Action
  private var last: ErrorBox?

  @usableFromInline
  init(action: Action) {
    self.action = action
  }

  @usableFromInline
  mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let error = result.frame.error, error !== last {
      last = error
      action(error.error)
    }
    return result
  }
}

extension OnFailureStep: Sendable where Action: Sendable {}
