public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Throws the errors that a policy names; all others stay in the results.
  ///
  /// An error is thrown once its fetch has come to rest: while a failed query is being fetched
  /// again there is still hope. The policy is asked once per error.
  ///
  /// ```swift
  /// for try await result in client.stream(.user(42)).throwing(when: .always) { show(result) }
  /// ```
  ///
  /// - Finish, cancellation: as this sequence.
  /// - Failure: the error of a result, or this sequence's own. The sequence is over then.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter policy: Which errors are thrown; a Bool literal stands for all or none.
  /// - Returns: A sequence that fails.
  public func throwing<Value>(
    when policy: ThrowPolicy
  ) -> some AsyncSequence<QueryResult<Value>, any Error> & Sendable
  where Element == QueryResult<Value> {
    ThrowingSequence(base: self, shouldThrow: SharedFunction { policy.shouldThrow($0) })
  }

  /// Throws the errors that a closure names; all others stay in the results.
  ///
  /// ```swift
  /// client.stream(.user(42)).throwing(when: { $0 is AuthError })
  /// ```
  ///
  /// - Finish, cancellation: as this sequence.
  /// - Failure: the error of a result, or this sequence's own. The sequence is over then.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter shouldThrow: Asked once for each error, when its fetch has come to rest.
  /// - Returns: A sequence that fails.
  public func throwing<Value>(
    when shouldThrow: @escaping @Sendable (any Error) -> Bool
  ) -> some AsyncSequence<QueryResult<Value>, any Error> & Sendable
  where Element == QueryResult<Value> {
    ThrowingSequence(base: self, shouldThrow: SharedFunction(shouldThrow))
  }
}

extension AsyncSequence {
  /// Throws the errors that a policy names; all others stay in the results.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter policy: Which errors are thrown; a Bool literal stands for all or none.
  /// - Returns: A sequence that fails.
  public func throwing<Value>(
    when policy: ThrowPolicy
  ) -> some AsyncSequence<QueryResult<Value>, any Error> where Element == QueryResult<Value> {
    ThrowingSequence(base: self, shouldThrow: SharedFunction { policy.shouldThrow($0) })
  }

  /// Throws the errors that a closure names; all others stay in the results.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter shouldThrow: Asked once for each error, when its fetch has come to rest.
  /// - Returns: A sequence that fails.
  public func throwing<Value>(
    when shouldThrow: @escaping (any Error) -> Bool
  ) -> some AsyncSequence<QueryResult<Value>, any Error> where Element == QueryResult<Value> {
    ThrowingSequence(base: self, shouldThrow: LocalFunction(shouldThrow))
  }
}

struct ThrowingSequence<Base: AsyncSequence, Value: Sendable, Predicate: UserFunction>:
  AsyncSequence
where
  Base.Element == QueryResult<Value>,
  Predicate.Input == any Error,
  Predicate.Output == Bool,
  Predicate.Failure == Never
{
  typealias Element = QueryResult<Value>
  typealias Failure = any Error

  let base: Base
  let shouldThrow: Predicate

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), step: ThrowingStep(shouldThrow: shouldThrow))
  }
}

extension ThrowingSequence {
  struct Iterator: AsyncIteratorProtocol {
    /// Let go of at the first error, with its subscription.
    var base: Base.AsyncIterator?
    var step: ThrowingStep<Predicate>

    mutating func next(
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

extension ThrowingSequence: Sendable where Base: Sendable, Predicate: Sendable {}

@available(*, unavailable)
extension ThrowingSequence.Iterator: Sendable {}

/// Decides which error of a result is thrown.
struct ThrowingStep<Predicate: UserFunction>
where
  Predicate.Input == any Error,
  Predicate.Output == Bool,
  Predicate.Failure == Never
{
  let shouldThrow: Predicate
  /// The error that was asked about last: it stays in the results.
  private var inline: ErrorBox?

  init(shouldThrow: Predicate) {
    self.shouldThrow = shouldThrow
  }

  mutating func error<Value>(of result: QueryResult<Value>) -> (any Error)? {
    guard let box = result.frame.error, box !== inline, !result.isFetching else { return nil }
    if shouldThrow(box.error) { return box.error }
    inline = box
    return nil
  }
}
