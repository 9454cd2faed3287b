internal import StreamQuery

/// A tick per period, without drift, for as long as a consumer waits.
///
/// Tick *n* is due *n* periods after the first `next`, however late the ones before it were. A consumer that
/// was busy while several were due gets the newest one at once; a gap in the numbers tells how many it
/// missed.
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
  ///   - clock: The clock of the period; `nil` is the clock of `Scheduling.current` when the
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

  /// Begins an iteration, which starts to count at its first `next`.
  ///
  /// - Returns: An iterator with its own count.
  public func makeAsyncIterator() -> Iterator {
    Iterator(ticks: Ticks(period: period, isImmediate: isImmediate), clock: clock)
  }
}

extension IntervalSequence {
  /// Waits for one tick after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private let clock: (any Clock<Duration>)?
    private var ticks: Ticks
    /// The clock of the ticks, which starts with the first `next`.
    private var time: OperatorTime?
    private var isEnded = false

    init(ticks: Ticks, clock: (any Clock<Duration>)?) {
      self.ticks = ticks
      self.clock = clock
    }

    /// Waits for the next tick.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The number of the tick; `nil` when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard !isEnded else { return nil }
      let time = time ?? OperatorTime(clock ?? Scheduling.current.clock)
      self.time = time
      let tick = Task.isCancelled ? nil : ticks.next(at: time.now())
      // If a clock fails for its own reasons, its time counts as over.
      if let due = tick?.due { try? await time.sleep(due) }
      isEnded = tick == nil || Task.isCancelled
      return isEnded ? nil : tick?.number
    }
  }
}

@available(*, unavailable)
extension IntervalSequence.Iterator: Sendable {}
