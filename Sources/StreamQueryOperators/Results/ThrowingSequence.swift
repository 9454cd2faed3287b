public import StreamQuery

extension AsyncSequence {
  /// Throws the errors that a policy names; other errors stay in the results.
  ///
  /// An error is thrown once no fetch runs: while a failed query is fetched again, it may still
  /// succeed. The policy is evaluated once per error.
  ///
  /// ```swift
  /// for try await result in client.stream(.user(42)).throwing(when: .always) { show(result) }
  /// ```
  ///
  /// - Finish, cancellation: as this sequence.
  /// - Failure: the error of a result, or this sequence's own. The sequence is over then.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter policy: The errors to throw; a Bool literal stands for all or none.
  /// - Returns: A sequence that fails.
  public func throwing<Value>(
    when policy: ThrowPolicy
  ) -> ThrowingSequence<Self, Value>
  where Element == QueryResult<Value> {
    ThrowingSequence(base: self) { policy.shouldThrow($0) }
  }

  /// Throws the errors that a closure names; other errors stay in the results.
  ///
  /// ```swift
  /// client.stream(.user(42)).throwing(when: { $0 is AuthError })
  /// ```
  ///
  /// - Finish, cancellation: as this sequence.
  /// - Failure: the error of a result, or this sequence's own. The sequence is over then.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter shouldThrow: Called once for each error, when no fetch runs.
  /// - Returns: A sequence that fails.
  public func throwing<Value>(
    when shouldThrow: @escaping @Sendable (any Error) -> Bool
  ) -> ThrowingSequence<Self, Value>
  where Element == QueryResult<Value> {
    ThrowingSequence(base: self, shouldThrow: shouldThrow)
  }
}

/// The sequence of `throwing(when:)`.
public struct ThrowingSequence<Base: AsyncSequence, Value: Sendable>: AsyncSequence
where Base.Element == QueryResult<Value> {
  /// A result whose error, if any, is not thrown.
  public typealias Element = QueryResult<Value>

  /// The error of a result, or the failure of the base sequence.
  public typealias Failure = any Error

  let base: Base
  let shouldThrow: @Sendable (any Error) -> Bool

  /// Begins an iteration.
  ///
  /// - Returns: An iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), step: ThrowingStep(shouldThrow: shouldThrow))
  }
}

extension ThrowingSequence {
  /// Gives the results of the base sequence until an error is thrown.
  public struct Iterator: AsyncIteratorProtocol {
    /// The base iterator; the first error drops it, with its subscription.
    var base: Base.AsyncIterator?
    var step: ThrowingStep

    /// Waits for the next result.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The result; `nil` at the end.
    /// - Throws: The error of a result, or the failure of the base sequence.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> QueryResult<Value>? {
      guard let result = try await base?.next(isolation: actor) else { return nil }
      if let error = step.error(of: result) {
        base = nil
        throw error
      }
      return result
    }
  }
}

extension ThrowingSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension ThrowingSequence.Iterator: Sendable {}
