/// The description of an operator that has not started: its machine, its upstreams and its clock.
struct OperatorDefinition<Machine: OperatorMachine, Output: Sendable, Failure: Error>: Sendable {
  typealias Storage = OperatorStorage<Machine, Output, Failure>
  typealias Source = Storage.Source

  let machine: Machine
  let sources: [Source]
  /// The clock of a timed machine; `nil` means the clock of `Scheduling.current` at the start of the
  /// iteration.
  var clock: (any Clock<Duration>)?
  /// The failure that the consumer gets when its wait exceeds the limit of `timeout`.
  var timeOutFailure: Failure?

  /// The operator's sequence, as a public function returns it.
  var sequence: ErasedSequence<Output, Failure> { ErasedSequence(OperatorSequence(self)) }

  /// Makes an upstream from a sequence; its elements go to the consumer.
  static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    element: @escaping @Sendable (Base.Element) -> Output,
    failure: @escaping @Sendable (Base.Failure) -> Failure
  ) -> Source where Base.Element: Sendable {
    source(base, failure: failure) { $0.arrived(element($1), from: $2) }
  }

  /// Makes an upstream from a sequence; each of its elements opens another upstream.
  static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    opening: @escaping @Sendable (Base.Element) -> Source,
    failure: @escaping @Sendable (Base.Failure) -> Failure
  ) -> Source {
    source(base, failure: failure) { $0.opened(opening($1), from: $2) }
  }

  /// Returns the failure of an upstream that cannot fail; it is never called.
  @Sendable static func impossible(_ failure: Never) -> Failure {}

  /// Makes an upstream: it asks the sequence for an element whenever the machine wants one, and reports the
  /// answer.
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
