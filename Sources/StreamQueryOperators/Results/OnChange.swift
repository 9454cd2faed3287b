public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Does something with each result on its way through.
  ///
  /// Put `changes(of:)` before it to choose which changes count.
  ///
  /// ```swift
  /// client.stream(.user(1)).changes(of: .status).onChange { print($0.status) }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter action: Runs where the consumer is, before the result is delivered.
  /// - Returns: The same results.
  @inlinable
  public func onChange<Value>(
    _ action: @escaping @Sendable (QueryResult<Value>) -> Void
  ) -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, OnChangeStep(action: SharedFunction(action)))
  }
}

extension AsyncSequence {
  /// Does something with each result on its way through.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter action: Runs where the consumer is, before the result is delivered.
  /// - Returns: The same results.
  @inlinable
  public func onChange<Value>(
    _ action: @escaping (QueryResult<Value>) -> Void
  ) -> some AsyncSequence<QueryResult<Value>, Failure> where Element == QueryResult<Value> {
    StepSequence(self, OnChangeStep(action: LocalFunction(action)))
  }
}

@usableFromInline
struct OnChangeStep<Action: UserFunction>: ResultStep
where Action.Output == Void, Action.Failure == Never {
  @usableFromInline let action: Action

  @inlinable
  init(action: Action) {
    self.action = action
  }

  @usableFromInline
  func take(_ result: Action.Input) -> Action.Input? {
    action(result)
    return result
  }
}

extension OnChangeStep: Sendable where Action: Sendable {}
