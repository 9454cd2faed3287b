@_spi(Adapters) public import StreamQuery
internal import Synchronization

/// The environment of one test: virtual time, one thread, and an order of jobs that a seed decides.
///
/// It stands still until the test drives it. Jobs run on the calling thread, one after the other,
/// inside `settle()`, `advance(by:)`, `advance(to:)` and `run(_:)`. Between those calls the
/// simulation can be inspected.
///
/// ```swift
/// let simulation = Simulation(seed: 7)
/// let ticks = simulation.record(IntervalSequence(every: .seconds(1)))
/// simulation.advance(by: .seconds(3))                // a moment of real time
/// #expect(ticks.values == [1, 2, 3])
/// ```
///
/// **Seeds.** Seed 0 runs jobs in the order in which they became ready. Any other seed chooses
/// among all ready jobs, so that many seeds explore many interleavings. The same seed repeats the
/// same one, which `scheduleHash` proves.
///
/// **Tasks.** The simulation runs tasks that are started with `task(_:_:)`, `record(_:)`, `run(_:)`
/// or `executorPreference: simulation.executor`, and all code that these await: default actors,
/// `async let`, children of groups. A plain `Task { }`, the main actor and actors with their own
/// executor leave the simulation; a job that comes back from there is reported as a failure.
/// `onMainActor` makes the first two part of the simulation.
///
/// **Threads.** The thread that created or last drove the simulation owns it; jobs from another one
/// are kept and reported. An asynchronous test may continue on another thread after each of its own
/// `await`s: call `settle()` then, which adopts the current thread, or, better, write the test
/// synchronously.
public final class Simulation: Sendable {
  let core: SimulationCore
  @usableFromInline let registry = TaskRegistry()
  let wallOffset = Mutex<Duration>(.zero)
  private let onFailure: @Sendable (String) -> Void

  /// An executor that runs its jobs only while the simulation is driven; prefer it in your own
  /// tasks.
  public let executor: any TaskExecutor

  /// The virtual clock.
  public let clock: SimulationClock

  /// The clock of the simulation, for sleepers that do not count as busy in `isIdle`.
  ///
  /// It serves the one timer task that a client keeps for all its deadlines.
  package let backgroundClock: SimulationClock

  /// The seed of this simulation.
  public let seed: UInt64

  /// Creates a simulation at virtual time zero.
  ///
  /// - Parameters:
  ///   - seed: Chooses among ready jobs; 0 takes them in order of arrival.
  ///   - jobLimit: The number of jobs at one instant after which the simulation gives up with a
  ///     failure, so that an endless loop does not hang a test.
  ///   - onFailure: Called for each failure, on the thread that drives. By default, a failure fails
  ///     the current test, of Swift Testing or of XCTest; outside tests it is printed to the
  ///     standard error stream.
  ///   - fileID: The place of an issue; leave it to its default.
  ///   - filePath: The place of an issue; leave it to its default.
  ///   - line: The place of an issue; leave it to its default.
  ///   - column: The place of an issue; leave it to its default.
  public init(
    seed: UInt64 = 0,
    jobLimit: Int = 1_000_000,
    onFailure: (@Sendable (String) -> Void)? = nil,
    fileID: String = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
  ) {
    self.seed = seed
    core = SimulationCore(seed: seed, jobLimit: jobLimit)
    executor = core
    clock = SimulationClock(core: core, isBackground: false)
    backgroundClock = SimulationClock(core: core, isBackground: true)
    if let onFailure {
      self.onFailure = onFailure
    } else {
      let report = FailureReport(fileID: fileID, filePath: filePath, line: line, column: column)
      self.onFailure = { report($0) }
    }
    core.waits.begin { [weak self] in self }
  }

  deinit {
    // Another thread may have added a job after the last drive, which must be reported.
    deliverFailures()
    // Waiting jobs would wait for ever, and keep alive the objects that they hold.
    registry.endAll()
    end()
    core.retire()
  }

  /// Virtual time since the start.
  public var now: Duration {
    core.read { $0.now }
  }

  /// The clock and executor of operators, and of clients created in this simulation.
  public var scheduling: Scheduling {
    Scheduling(clock: clock, executor: executor)
  }

  /// Returns a random number from the simulation's own generator; the same seed gives the same
  /// numbers.
  ///
  /// It is independent of the generator that chooses among jobs, so drawing does not change the
  /// schedule.
  ///
  /// - Returns: 64 random bits.
  public func nextRandom() -> UInt64 {
    core.read { $0.nextRandom() }
  }

  /// The number of jobs that have run.
  public var jobCount: Int {
    core.read { $0.jobCount }
  }

  /// A digest of every choice of a job and every step of time so far.
  ///
  /// Equal for two runs if, and only if, they took the same course, except for hash collisions.
  public var scheduleHash: UInt64 {
    core.read { $0.scheduleHash }
  }

  /// The failures so far, oldest first; at most the first hundred.
  public var failures: [String] {
    core.read { $0.failures }
  }

  func deliverFailures() {
    // The handler is called outside the lock, because it is the test's own code.
    for message in core.read({ Array($0.takeUndeliveredFailures()) }) {
      onFailure(message)
    }
  }
}
