public import StreamQuery

extension AsyncSequence {
  /// Runs an action for each new data of a result.
  ///
  /// Data that was cached before this stream began also counts as new. Placeholders do not count, and neither
  /// does data beside an error.
  ///
  /// ```swift
  /// client.stream(.user(1)).onSuccess { print("user \($0.name)") }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is stored for the comparison.
  ///
  /// - Parameter action: Runs before the result is delivered, once for each data that the consumer gets, but
  ///   not for data that a slow consumer misses: on the actor on which the closure is written, or else on the
  ///   consumer's actor.
  /// - Returns: The same results.
  @inlinable
  public func onSuccess<Value>(
    @_inheritActorContext _ action: @escaping @Sendable @isolated(any) (Value) -> Void
  ) -> EffectSequence<Self, _OnSuccessStep<Value>> where Element == QueryResult<Value> {
    EffectSequence(self, _OnSuccessStep(), ResultAction(action))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `onSuccess(_:)`.
public struct _OnSuccessStep<Value: Sendable>: _ResultStep, Sendable {
  private var last: ValueBox?

  @usableFromInline
  init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The data of the result, if it is new.
  public mutating func take(_ result: QueryResult<Value>) -> Value? {
    guard result.isSuccess, !result.isPlaceholderData, let data = result.snapshot.data,
      data !== last
    else { return nil }
    last = data
    return data.value(as: Value.self)
  }
}
