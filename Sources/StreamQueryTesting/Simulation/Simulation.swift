@_spi(Adapters) public import StreamQuery
internal import Synchronization

/// The environment of one test: virtual time, one thread, and an order of jobs that depends on a seed.
///
/// The simulation stands still until the test drives it. Its jobs run on the calling thread, one after the
/// other, inside `settle()`, `advance(by:)`, `advance(to:)` and `run(_:)`. Between those calls the simulation
/// can be inspected.
///
/// ```swift
/// let simulation = Simulation(seed: 7)
/// let ticks = simulation.record(IntervalSequence(every: .seconds(1)))
/// simulation.advance(by: .seconds(3))                // a moment of real time
/// #expect(ticks.values == [1, 2, 3])
/// ```
///
/// **Seeds.** Seed 0 runs jobs in the order in which they became ready. Any other seed chooses among all
/// ready jobs, so that many seeds try many orders. A seed gives the same order each time, as `scheduleHash`
/// proves.
///
/// **Tasks.** The simulation runs tasks that are started with `task(_:_:)`, `record(_:)`, `run(_:)` or
/// `executorPreference: simulation.executor`, and all code that these await: default actors, `async let`,
/// children of groups. It does not run a plain `Task { }`, the main actor and actors with their own executor;
/// a job that comes back from there is reported as a failure. `onMainActor` makes plain tasks and the main
/// actor part of the simulation.
///
/// **Threads.** The thread that created or last drove the simulation owns it; a job from another thread is
/// run, but reported as a failure. An asynchronous test may continue on another thread after each of its own
/// `await`s. Then call `settle()`, which makes that thread the owner, or, better, write the test
/// synchronously.
public final class Simulation: Sendable {
  let core: SimulationCore
  let registry = TaskRegistry()
  let wallOffset = Mutex<Duration>(.zero)
  private let onFailure: @Sendable (String) -> Void

  /// An executor that runs jobs only while the simulation is driven; prefer it in your own tasks.
  public let executor: any TaskExecutor

  /// The virtual clock.
  public let clock: SimulationClock

  /// The virtual clock, for sleepers that do not count as busy in `isIdle`.
  ///
  /// A client's timer task, of which there is one for all deadlines, sleeps on this clock.
  package let backgroundClock: SimulationClock

  /// The seed of this simulation.
  public let seed: UInt64

  /// Creates a simulation at virtual time zero.
  ///
  /// - Parameters:
  ///   - seed: Chooses among ready jobs; 0 takes them in order of arrival.
  ///   - jobLimit: The number of jobs at one instant after which the simulation stops with a failure, so that
  ///     an endless loop does not hang a test.
  ///   - onFailure: Called for each failure, on the thread that drives. By default, a failure fails the
  ///     current test, of Swift Testing or of XCTest; outside tests it is printed to the standard error
  ///     stream.
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
    // A failure that another thread caused after the last drive must still be reported.
    deliverFailures()
    // The remaining waits are ended; otherwise their jobs would keep objects alive for ever.
    registry.endAll()
    end()
    core.retire()
  }

  /// The virtual time since the simulation's start.
  public var now: Duration {
    core.read { $0.now }
  }

  /// The clock and the executor of this simulation, for operators and clients.
  public var scheduling: Scheduling {
    Scheduling(clock: clock, executor: executor)
  }

  /// Returns a random number from the simulation's own generator; the same seed gives the same numbers.
  ///
  /// The generator is not the one that chooses among jobs, so this call does not change the schedule.
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
  /// Apart from hash collisions, two runs have the same digest exactly if their schedules were the same.
  public var scheduleHash: UInt64 {
    core.read { $0.scheduleHash }
  }

  /// The failures so far, oldest first; only the first hundred are stored.
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
