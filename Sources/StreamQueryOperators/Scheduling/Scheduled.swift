public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Iterates this sequence under another clock and executor.
  ///
  /// Every operator before it, and every task that they start, sees them as `Scheduling.current`.
  ///
  /// ```swift
  /// merge(pushMessages, socketMessages)
  ///   .scheduled(by: Scheduling(clock: client.clock, executor: queue))
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter scheduling: The clock and executor to iterate under.
  /// - Returns: A sequence of the same elements.
  public func scheduled(
    by scheduling: Scheduling
  ) -> some AsyncSequence<Element, Failure> & Sendable {
    ScheduledSequence(base: self, scheduling: scheduling)
  }
}

extension AsyncSequence {
  /// Iterates this sequence under another clock and executor.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter scheduling: The clock and executor to iterate under.
  /// - Returns: A sequence of the same elements.
  public func scheduled(by scheduling: Scheduling) -> some AsyncSequence<Element, Failure> {
    ScheduledSequence(base: self, scheduling: scheduling)
  }
}

struct ScheduledSequence<Base: AsyncSequence>: AsyncSequence {
  typealias Element = Base.Element
  typealias Failure = Base.Failure

  let base: Base
  let scheduling: Scheduling

  func makeAsyncIterator() -> Iterator {
    // A sequence may subscribe when its iterator is made.
    Scheduling.$current.withValue(scheduling) {
      Iterator(base: base.makeAsyncIterator(), scheduling: scheduling)
    }
  }
}

extension ScheduledSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let scheduling: Scheduling

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Base.Element? {
      // `withValue` rethrows any error; the result carries the typed one through it.
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
