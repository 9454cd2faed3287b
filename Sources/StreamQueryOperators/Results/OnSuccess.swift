public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Does something with each new data on its way through.
  ///
  /// Data that was cached before is new to this stream and counts too; placeholders do not.
  ///
  /// ```swift
  /// client.stream(.user(1)).onSuccess { print("user \($0.name)") }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is kept, to compare.
  ///
  /// - Parameter action: Runs where the consumer is, before the result is delivered, once for each
  ///   data that the consumer asks for. What a slow consumer misses, the action misses.
  /// - Returns: The same results.
  @inlinable
  public func onSuccess<Value>(
    _ action: @escaping @Sendable (Value) -> Void
  ) -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, OnSuccessStep(action: SharedFunction(action)))
  }
}

extension AsyncSequence {
  /// Does something with each new data on its way through.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter action: Runs where the consumer is, before the result is delivered.
  /// - Returns: The same results.
  @inlinable
  public func onSuccess<Value>(
    _ action: @escaping (Value) -> Void
  ) -> some AsyncSequence<QueryResult<Value>, Failure> where Element == QueryResult<Value> {
    StepSequence(self, OnSuccessStep(action: LocalFunction(action)))
  }
}

@usableFromInline
struct OnSuccessStep<Action: UserFunction>: ResultStep
where Action.Input: Sendable, Action.Output == Void, Action.Failure == Never {
  @usableFromInline typealias Value = Action.Input

  let action: Action
  private var last: ValueBox?

  @usableFromInline
  init(action: Action) {
    self.action = action
  }

  @usableFromInline
  mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if result.isSuccess, !result.isPlaceholderData, let data = result.frame.data, data !== last {
      last = data
      action(data.value(as: Value.self))
    }
    return result
  }
}

extension OnSuccessStep: Sendable where Action: Sendable {}
