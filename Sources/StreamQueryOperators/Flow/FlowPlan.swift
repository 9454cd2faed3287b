internal import StreamQuery

/// Everything that an operator needs to start: its machine, its upstreams, its clock.
struct FlowPlan<Machine: FlowMachine, Output: Sendable, Failure: Error>: Sendable {
  /// Which clock a machine's times belong to.
  enum Timing: Sendable {
    /// The machine does not ask for the time.
    case none
    case onClock(any Clock<Duration>)
    /// The clock of `Scheduling.current` when the iteration starts.
    case onCurrentClock

    init(_ clock: (any Clock<Duration>)?) {
      self = clock.map { .onClock($0) } ?? .onCurrentClock
    }
  }

  typealias Source = Confluence<Machine, Output, Failure>.Source

  let machine: Machine
  let sources: [Source]
  let timing: Timing
  /// What the consumer gets when the machine's time is up.
  let timeOutFailure: Failure?

  init(
    machine: Machine,
    sources: [Source],
    timing: Timing = .none,
    timeOutFailure: Failure? = nil
  ) {
    self.machine = machine
    self.sources = sources
    self.timing = timing
    self.timeOutFailure = timeOutFailure
  }

  /// One upstream whose elements and failures stay what they are, on a clock.
  init<Base: AsyncSequence & Sendable>(
    machine: Machine,
    upstream: Base,
    clock: (any Clock<Duration>)?
  ) where Base.Element == Output, Base.Failure == Failure {
    self.init(
      machine: machine,
      sources: [Self.source(upstream, element: { $0 }, failure: { $0 })],
      timing: Timing(clock)
    )
  }

  /// An upstream whose elements go to the consumer.
  static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    element: @escaping @Sendable (Base.Element) -> Output,
    failure: @escaping @Sendable (Base.Failure) -> Failure
  ) -> Source where Base.Element: Sendable {
    { confluence, id in
      await iterate(base, in: confluence, as: id, failure: failure) { upstreamElement in
        confluence.arrived(element(upstreamElement), from: id)
      }
    }
  }

  /// An upstream whose elements are upstreams.
  static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    opening: @escaping @Sendable (Base.Element) -> Source,
    failure: @escaping @Sendable (Base.Failure) -> Failure
  ) -> Source {
    { confluence, id in
      await iterate(base, in: confluence, as: id, failure: failure) { upstreamElement in
        confluence.opened(opening(upstreamElement), from: id)
      }
    }
  }

  /// The failure of an upstream that has none.
  @Sendable static func impossible(_ failure: Never) -> Failure {}

  /// Asks for one element each time the machine wants one, and reports what comes.
  private static func iterate<Base: AsyncSequence>(
    _ base: Base,
    in confluence: Confluence<Machine, Output, Failure>,
    as id: UpstreamID,
    failure: (Base.Failure) -> Failure,
    element: (Base.Element) -> Void
  ) async {
    var iterator = base.makeAsyncIterator()
    confluence.subscribed(id)
    do throws(Base.Failure) {
      while await confluence.isPulled(id) {
        guard let next = try await iterator.next(isolation: nil) else {
          confluence.finished(id)
          return
        }
        element(next)
      }
    } catch {
      confluence.failed(id, with: failure(error))
    }
  }
}
