/// The clock and the executor for waits and tasks of operators, passed down by task-locals.
///
/// A client, and a `Simulation` in tests, sets this for the tasks that it runs. So an operator such
/// as `timeout` waits on the same clock as the queries it is applied to. Outside both, it is the
/// continuous clock and the global executor.
///
/// ```swift
/// try await Scheduling.$current.withValue(Scheduling(clock: simulation.clock)) {
///   for try await price in prices.timeout(after: .seconds(5)) { show(price) }
/// }
/// ```
public struct Scheduling: Sendable {
  /// The clock for the waits of operators.
  public var clock: any Clock<Duration>

  /// The executor that tasks of operators prefer; `nil` is the global one.
  public var executor: (any TaskExecutor)?

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - clock: The clock for the waits of operators.
  ///   - executor: The executor that tasks prefer; `nil` is the global one.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    self.clock = clock
    self.executor = executor
  }

  /// The schedule for operators that were given neither clock nor executor.
  @TaskLocal public static var current = Scheduling()
}
