internal import StreamQuery

/// A tick per period, without drift, for as long as a consumer waits.
///
/// Tick *n* is due *n* periods after the first `next`, however late the ticks before it were. If a consumer
/// was busy while several ticks were due, it gets the newest of them at once, and a gap in the numbers shows
/// how many it has missed.
///
/// ```swift
/// for await _ in IntervalSequence(every: .seconds(30)) { await client.refetch(.prefix("prices")) }
/// ```
///
/// - Finish: never for a positive period; for any other, after the immediate tick.
/// - Failure: none.
/// - Cancellation: ends with `nil`.
/// - Buffering: none, and no task: each wait is the consumer's own.
public struct IntervalSequence: AsyncSequence, Sendable {
  /// The number of a tick: tick 0 is the immediate one, and tick 1 is due after one period.
  public typealias Element = Int

  /// An iteration cannot fail.
  public typealias Failure = Never

  private let period: Duration
  private let isImmediate: Bool
  private let clock: (any Clock<Duration>)?

  /// Creates a sequence of ticks.
  ///
  /// - Parameters:
  ///   - period: The time between two ticks. With zero or less, only an immediate tick comes; more than 100
  ///     years count as 100 years.
  ///   - startingImmediately: Whether tick 0 comes at once. Otherwise the first tick has the number 1.
  ///   - clock: The clock that measures the period; `nil` means the clock of `Scheduling.current` at the
  ///     start of the iteration.
  public init(
    every period: Duration,
    startingImmediately: Bool = false,
    clock: (any Clock<Duration>)? = nil
  ) {
    self.period = Interval(clamping: period).finite
    isImmediate = startingImmediately
    self.clock = clock
  }

  /// Begins an iteration; its count begins with its first `next`.
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
    /// The time since the first `next`; `nil` before it.
    private var time: OperatorTime?
    private var isEnded = false

    init(ticks: Ticks, clock: (any Clock<Duration>)?) {
      self.ticks = ticks
      self.clock = clock
    }

    /// Waits for the next tick.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The number of the tick; `nil` at the end, or when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard !isEnded else { return nil }
      let time = time ?? OperatorTime(clock ?? Scheduling.current.clock)
      self.time = time
      let tick = Task.isCancelled ? nil : ticks.next(at: time.now())
      // If the clock throws an error of its own, the wait counts as over.
      if let due = tick?.due { try? await time.sleep(due) }
      isEnded = tick == nil || Task.isCancelled
      return isEnded ? nil : tick?.number
    }
  }
}

@available(*, unavailable)
extension IntervalSequence.Iterator: Sendable {}
