public import StreamQuery

extension AsyncSequence {
  /// Iterates this sequence with a given clock and executor.
  ///
  /// All operators before this one, and their tasks, get them as `Scheduling.current`.
  ///
  /// ```swift
  /// merge(pushMessages, socketMessages)
  ///   .scheduled(by: Scheduling(clock: client.clock, executor: queue))
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter scheduling: The clock and the executor.
  /// - Returns: A sequence of the same elements.
  public func scheduled(
    by scheduling: Scheduling
  ) -> ScheduledSequence<Self> {
    ScheduledSequence(base: self, scheduling: scheduling)
  }
}

/// The sequence of `scheduled(by:)`.
public struct ScheduledSequence<Base: AsyncSequence>: AsyncSequence {
  /// The element of the base sequence.
  public typealias Element = Base.Element

  /// The failure of the base sequence.
  public typealias Failure = Base.Failure

  let base: Base
  let scheduling: Scheduling

  /// Begins an iteration with the scheduling as `Scheduling.current`.
  ///
  /// - Returns: An iterator.
  public func makeAsyncIterator() -> Iterator {
    // The iterator is also created with the scheduling, because a sequence may subscribe at that moment.
    Scheduling.$current.withValue(scheduling) {
      Iterator(base: base.makeAsyncIterator(), scheduling: scheduling)
    }
  }
}

extension ScheduledSequence {
  /// Iterates the base sequence with the scheduling as `Scheduling.current`.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let scheduling: Scheduling

    /// Waits for the next element.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The element; `nil` at the end.
    /// - Throws: The failure of the base sequence.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Base.Element? {
      // `withValue` does not keep the type of the error, so the error is returned in a result.
      let result = await Scheduling.$current.withValue(
        scheduling,
        operation: { () async -> Result<Base.Element?, Base.Failure> in
          _ = actor
          do throws(Base.Failure) {
            return .success(try await base.next(isolation: actor))
          } catch {
            return .failure(error)
          }
        },
        isolation: actor
      )
      return try result.get()
    }
  }
}

extension ScheduledSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension ScheduledSequence.Iterator: Sendable {}
