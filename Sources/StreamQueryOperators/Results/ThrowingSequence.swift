public import StreamQuery

extension AsyncSequence {
  /// Throws errors of results if a policy says so; other errors stay in the results.
  ///
  /// An error is thrown when no fetch runs, because a running fetch may still succeed. The policy is
  /// evaluated once per error. A policy that asks for the state of the query throws nothing here: use
  /// `throwingResults(of:)` for it.
  ///
  /// ```swift
  /// for try await result in client.stream(.user(42)).throwing(when: .always) { show(result) }
  /// ```
  ///
  /// - Finish, cancellation: as this sequence.
  /// - Failure: the error of a result, or this sequence's own. Then the sequence is over.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter policy: Decides which errors are thrown; a Bool literal stands for all or none.
  /// - Returns: A sequence that can fail.
  public func throwing<Value>(
    when policy: ThrowPolicy
  ) -> ThrowingSequence<Self, Value>
  where Element == QueryResult<Value> {
    ThrowingSequence(base: self) { policy.shouldThrow($0) }
  }

  /// Throws errors of results if a closure says so; other errors stay in the results.
  ///
  /// ```swift
  /// client.stream(.user(42)).throwing(when: { $0 is AuthError })
  /// ```
  ///
  /// - Finish, cancellation: as this sequence.
  /// - Failure: the error of a result, or this sequence's own. Then the sequence is over.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter shouldThrow: Returns whether an error is thrown; called once for each error, when no fetch
  ///   runs.
  /// - Returns: A sequence that can fail.
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
  /// A result without an error, or with an error that is not to be thrown.
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
  /// Delivers the results of the base sequence until an error is thrown.
  public struct Iterator: AsyncIteratorProtocol {
    /// The iterator of the base sequence; `nil` after an error, so that its subscription ends.
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
