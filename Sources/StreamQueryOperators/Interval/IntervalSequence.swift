internal import StreamQuery

/// A tick per period, without drift, for as long as somebody waits for it.
///
/// Tick *n* is due *n* periods after the first `next`, however late the ones before it were. A
/// consumer that was busy while several were due gets the newest of them at once; the numbers tell
/// it that some are missing.
///
/// ```swift
/// for await _ in IntervalSequence(every: .seconds(30)) { await client.refetch(.prefix("prices")) }
/// ```
///
/// - Finish: never, except that there is no tick after the immediate one if the period is zero or
///   less.
/// - Failure: never.
/// - Cancellation: ends with `nil`.
/// - Buffering: none, and no task: each wait is the consumer's own.
public struct IntervalSequence: AsyncSequence, Sendable {
  /// The number of a tick: 0 is the immediate one, 1 is due after one period.
  public typealias Element = Int

  /// It cannot fail.
  public typealias Failure = Never

  private let period: Duration
  private let isImmediate: Bool
  private let clock: (any Clock<Duration>)?

  /// Creates a sequence of ticks.
  ///
  /// - Parameters:
  ///   - period: The time between two ticks. Zero or less means that there is none; more than 100
  ///     years counts as 100 years.
  ///   - startingImmediately: Whether tick 0 comes at once. Otherwise the first one is tick 1.
  ///   - clock: What the period is measured on; `nil` is the clock of `Scheduling.current` when the
  ///     iteration starts.
  public init(
    every period: Duration,
    startingImmediately: Bool = false,
    clock: (any Clock<Duration>)? = nil
  ) {
    self.period = Interval(clamping: period).finite
    isImmediate = startingImmediately
    self.clock = clock
  }

  /// Starts to count at the iterator's first `next`.
  ///
  /// - Returns: An iterator with its own count.
  public func makeAsyncIterator() -> Iterator {
    Iterator(ticks: Ticks(period: period, isImmediate: isImmediate), clock: clock)
  }
}

extension IntervalSequence {
  /// Waits for one tick after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case new(clock: (any Clock<Duration>)?)
      case started(OperatorTime)
      case ended
    }

    private var ticks: Ticks
    private var state: State

    init(ticks: Ticks, clock: (any Clock<Duration>)?) {
      self.ticks = ticks
      state = .new(clock: clock)
    }

    /// Waits for the next tick.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The number of the tick; `nil` when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      let time: OperatorTime
      switch state {
      case .new(let clock):
        time = OperatorTime(clock ?? Scheduling.current.clock)
        state = .started(time)
      case .started(let started):
        time = started
      case .ended:
        return nil
      }
      guard !Task.isCancelled, let tick = ticks.next(at: time.now()) else {
        state = .ended
        return nil
      }
      if let due = tick.due {
        // A clock that fails for its own reasons counts as one that rang.
        try? await time.sleep(due)
        guard !Task.isCancelled else {
          state = .ended
          return nil
        }
      }
      return tick.number
    }
  }
}

@available(*, unavailable)
extension IntervalSequence.Iterator: Sendable {}
