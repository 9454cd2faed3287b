public import StreamQuery

extension AsyncSequence {
  /// Iterates this sequence under another clock and executor.
  ///
  /// They are `Scheduling.current` for every operator before this one, and for its tasks.
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

  /// Begins an iteration under the scheduling.
  ///
  /// - Returns: An iterator.
  public func makeAsyncIterator() -> Iterator {
    // This is inside of the scheduling, too, because a sequence may subscribe when its iterator is
    // made.
    Scheduling.$current.withValue(scheduling) {
      Iterator(base: base.makeAsyncIterator(), scheduling: scheduling)
    }
  }
}

extension ScheduledSequence {
  /// Iterates the base sequence under the scheduling.
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
      // `withValue` loses the type of the error, so the error is returned in a result.
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
