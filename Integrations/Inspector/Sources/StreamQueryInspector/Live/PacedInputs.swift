internal import StreamQuery

/// The recorded events of a client, at most one element in each ``pause``, and then the end of the client.
///
/// The client collects events until the next element is requested, so a slow page costs no memory, and gets
/// more events in one element.
struct PacedInputs<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == QueryRecord, Base.Failure == Never {
  typealias Element = LiveInput
  typealias Failure = Never

  let base: Base
  /// The time between two elements.
  let pause: Duration
  let clock: any Clock<Duration>

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), pause: pause, clock: clock)
  }

  struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private let pause: Duration
    private let clock: any Clock<Duration>
    private var stage = Stage.first

    private enum Stage {
      case first, pausing, ended
    }

    init(base: Base.AsyncIterator, pause: Duration, clock: any Clock<Duration>) {
      self.base = base
      self.pause = pause
      self.clock = clock
    }

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LiveInput? {
      switch stage {
      case .first: stage = .pausing
      // If the task is cancelled, the sleep and the base sequence end at once.
      case .pausing: try? await clock.sleep(for: pause)
      case .ended: return nil
      }
      if let record = await base.next(isolation: actor) { return .recorded(record) }
      stage = .ended
      return Task.isCancelled ? nil : .ended
    }
  }
}
