/// The source of the states of a ``Connectivity`` or an ``AppActivity``.
struct StateSource: Sendable {
  /// The only state of a source that never changes; `nil` for the others.
  let constant: Bool?
  private let makeIterator: @Sendable () -> any AsyncIteratorProtocol<Bool, Never>

  /// A source whose state never changes.
  init(constant: Bool) {
    self.constant = constant
    self.makeIterator = { ConstantIterator(state: constant) }
  }

  /// Creates a source of the operating system, of which the process has one.
  init(shared: SharedState) {
    self.constant = nil
    self.makeIterator = { SharedIterator(subscription: shared.subscribe()) }
  }

  /// Creates a source from any sequence; the sequence is made separately for each listener.
  init<Source: AsyncSequence & SendableMetatype>(
    sequence: @escaping @Sendable () -> Source
  ) where Source.Element == Bool {
    self.constant = nil
    self.makeIterator = { Self.changes(of: sequence()) }
  }

  /// The changes of a sequence.
  ///
  /// This is a function of its own: in a closure, the iterator's type would have to be `SendableMetatype`,
  /// and every caller's type, too.
  private static func changes<Source: AsyncSequence>(
    of sequence: Source
  ) -> any AsyncIteratorProtocol<Bool, Never> where Source.Element == Bool {
    ChangesIterator(base: sequence.makeAsyncIterator())
  }

  /// The states as a sequence; each iterator begins with the first state.
  var states: States { States(source: self) }

  /// The states of a source as a sequence; each iterator is a separate listener.
  struct States: AsyncSequence, Sendable {
    fileprivate let source: StateSource

    func makeAsyncIterator() -> Iterator {
      Iterator(base: source.makeIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
      fileprivate var base: any AsyncIteratorProtocol<Bool, Never>

      mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Bool? {
        await base.next(isolation: actor)
      }
    }
  }
}

/// An iterator is for one task, so it is not `Sendable`.
@available(*, unavailable)
extension StateSource.States.Iterator: Sendable {}

/// Returns the constant state once and finishes: a finished source keeps its last state.
private struct ConstantIterator: AsyncIteratorProtocol {
  var state: Bool?

  mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Bool? {
    defer { state = nil }
    return state
  }
}

private struct SharedIterator: AsyncIteratorProtocol {
  let subscription: SharedState.Listener

  mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Bool? {
    await subscription.next(isolation: actor)
  }
}

/// The changes of another sequence; a failure ends them as a normal end does.
private struct ChangesIterator<Base: AsyncIteratorProtocol>: AsyncIteratorProtocol
where Base.Element == Bool {
  var base: Base
  var last: Bool?
  var isFinished = false

  mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Bool? {
    while !isFinished {
      guard let state = try? await base.next(isolation: actor) else {
        // A sequence that is asked again after its end might start over or trap.
        isFinished = true
        return nil
      }
      guard state != last else { continue }
      last = state
      return state
    }
    return nil
  }
}
