/// The parts of an operator that has not started: its machine, its upstreams, its clock.
struct OperatorDefinition<Machine: OperatorMachine, Output: Sendable, Failure: Error>: Sendable {
  typealias Storage = OperatorStorage<Machine, Output, Failure>
  typealias Source = Storage.Source

  let machine: Machine
  let sources: [Source]
  /// The clock of a timed machine; `nil` for the clock of `Scheduling.current` when the iteration
  /// starts.
  var clock: (any Clock<Duration>)?
  /// The failure that the consumer gets when the machine's time is up.
  var timeOutFailure: Failure?

  /// The sequence that users see.
  var sequence: ErasedSequence<Output, Failure> { ErasedSequence(OperatorSequence(self)) }

  /// An upstream whose elements go to the consumer.
  static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    element: @escaping @Sendable (Base.Element) -> Output,
    failure: @escaping @Sendable (Base.Failure) -> Failure
  ) -> Source where Base.Element: Sendable {
    source(base, failure: failure) { $0.arrived(element($1), from: $2) }
  }

  /// An upstream whose elements are upstreams.
  static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    opening: @escaping @Sendable (Base.Element) -> Source,
    failure: @escaping @Sendable (Base.Failure) -> Failure
  ) -> Source {
    source(base, failure: failure) { $0.opened(opening($1), from: $2) }
  }

  /// The failure of an upstream that has none.
  @Sendable static func impossible(_ failure: Never) -> Failure {}

  /// Asks for one element whenever the machine wants one, and reports the answer.
  private static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    failure: @escaping @Sendable (Base.Failure) -> Failure,
    report: @escaping @Sendable (Storage, Base.Element, UpstreamID) -> Void
  ) -> Source {
    { storage, id in
      var iterator = base.makeAsyncIterator()
      storage.subscribed(id)
      do throws(Base.Failure) {
        while await storage.isPulled(id) {
          guard let next = try await iterator.next(isolation: nil) else {
            return storage.ended(id, with: nil)
          }
          report(storage, next, id)
        }
      } catch {
        storage.ended(id, with: failure(error))
      }
    }
  }
}
