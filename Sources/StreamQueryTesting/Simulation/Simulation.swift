@_spi(Adapters) public import StreamQuery
internal import Synchronization

/// The world of one test: virtual time, one thread, and an order of jobs that a seed decides.
///
/// Nothing happens in it until the test drives it. Jobs run on the calling thread, one after the
/// other, inside `settle()`, `advance(by:)`, `advance(to:)` and `run(_:)`. Between those calls the
/// simulation stands still and can be inspected.
///
/// ```swift
/// let simulation = Simulation(seed: 7)
/// let ticks = simulation.record(IntervalSequence(every: .seconds(1)))
/// simulation.advance(by: .seconds(3))                // a moment of real time
/// #expect(ticks.values == [1, 2, 3])
/// ```
///
/// **Seeds.** Seed 0 runs jobs in the order in which they became ready. Any other seed chooses
/// among all that are ready, so that many seeds explore many interleavings; the same seed repeats
/// the same one, which `scheduleHash` proves.
///
/// **What follows the simulation.** Tasks started with `task(_:_:)`, `record(_:)`, `run(_:)` or
/// `executorPreference: simulation.executor`, and everything that these await: default actors,
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

  /// Runs its jobs only while the simulation is driven; prefer it in your own tasks.
  public let executor: any TaskExecutor

  /// The virtual clock.
  public let clock: SimulationClock

  /// The same clock, but its sleepers do not count as busy in `isIdle`.
  ///
  /// For the one timer task that a client keeps for all its deadlines.
  package let backgroundClock: SimulationClock

  /// The seed that this simulation was created with.
  public let seed: UInt64

  /// Creates a simulation at virtual time zero.
  ///
  /// - Parameters:
  ///   - seed: Chooses among jobs that are ready; 0 takes them in order of arrival.
  ///   - jobLimit: How many jobs may run at one instant before the simulation gives up with a
  ///     failure, so that an endless loop cannot hang a test.
  ///   - onFailure: Takes each failure, on the thread that drives. By default, a failure fails the
  ///     current test, of Swift Testing or of XCTest; outside tests it is printed to the standard
  ///     error stream.
  ///   - fileID: Where an issue is shown; leave it to its default.
  ///   - filePath: Where an issue is shown; leave it to its default.
  ///   - line: Where an issue is shown; leave it to its default.
  ///   - column: Where an issue is shown; leave it to its default.
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
    // A job from another thread after the last drive must not go unnoticed.
    deliverFailures()
    // Jobs that still wait would wait for ever, and keep alive what they hold.
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
  /// Independent of the generator that chooses among jobs: drawing does not change the schedule.
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
  /// Equal for two runs exactly if they took the same course, except for hash collisions.
  public var scheduleHash: UInt64 {
    core.read { $0.scheduleHash }
  }

  /// The failures so far, oldest first; at most the first hundred.
  public var failures: [String] {
    core.read { $0.failures }
  }

  func deliverFailures() {
    // Outside the lock: the handler is the test's own code.
    for message in core.read({ Array($0.takeUndeliveredFailures()) }) {
      onFailure(message)
    }
  }
}
