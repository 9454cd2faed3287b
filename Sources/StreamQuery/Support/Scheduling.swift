/// Where waiting and tasks of operators go: a clock and an executor, handed down by task-locals.
///
/// A client, and a `Simulation` in tests, sets this for the tasks that it runs, so that an operator
/// such as `timeout` waits on the same clock as the queries that it works on. Outside of both it is
/// the continuous clock and the global executor.
///
/// ```swift
/// try await Scheduling.$current.withValue(Scheduling(clock: simulation.clock)) {
///   for try await price in prices.timeout(after: .seconds(5)) { show(price) }
/// }
/// ```
public struct Scheduling: Sendable {
  /// The clock on which operators wait.
  public var clock: any Clock<Duration>

  /// The executor that tasks of operators prefer; `nil` is the global one.
  public var executor: (any TaskExecutor)?

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - clock: The clock on which operators wait.
  ///   - executor: The executor that tasks prefer; `nil` is the global one.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    self.clock = clock
    self.executor = executor
  }

  /// What operators use that were given neither clock nor executor.
  @TaskLocal public static var current = Scheduling()
}
