@_spi(Adapters) internal import StreamQuery

/// Decides for a simulation which job runs next and when time moves, and collects its failures.
///
/// It is a value without locks, threads or clocks, so that its rules can be tested synchronously.
/// ``SimulationCore`` keeps it behind a mutex and performs the steps that `next` returns.
struct ScheduleState<Job: Sendable, Waiter: Sendable>: Sendable {
  /// The driver's next step.
  enum Step {
    /// Run this job.
    case run(Job)
    /// Resume this sleeper, because its deadline has come.
    case wake(Waiter)
    /// Nothing is left to do at this instant: no job is ready and no sleeper is due.
    case settled
    /// More jobs and wake-ups happened at this instant than the limit allows.
    case exhausted
  }

  /// Whether the simulation also runs jobs of the main actor and plain tasks.
  private enum MainActorUse {
    case none
    case held
    /// A wait for a client that runs in real time was reported; further waits are not.
    case reported
  }

  /// The maximum number of stored failures; further ones are dropped, because nobody reads thousands.
  static var maximumFailures: Int { 100 }

  let jobLimit: Int
  /// Chooses among jobs that are ready; `nil` with seed 0, which runs the oldest job first.
  private var scheduling: SplitMix?
  private var values: SplitMix

  private(set) var now: Duration = .zero
  private(set) var ready = ReadyQueue<Job>()
  var sleepers = Sleepers<Waiter>()

  private(set) var jobCount = 0
  private(set) var scheduleHash: UInt64 = 0xCBF2_9CE4_8422_2325
  private var stepsAtInstant = 0

  private(set) var owner: ThreadIdentity
  private(set) var isDriving = false
  /// Whether the simulation has ended for good and is not driven any more.
  private(set) var isOver = false
  private(set) var foreignJobCount = 0
  private var mainActor = MainActorUse.none

  private(set) var failures: [String] = []
  private var deliveredFailures = 0

  init(seed: UInt64, jobLimit: Int, owner: ThreadIdentity) {
    self.jobLimit = max(1, jobLimit)
    self.owner = owner
    scheduling = seed == 0 ? nil : SplitMix(seed: seed)
    // Random values have a generator of their own, so that drawing one does not change the schedule.
    values = SplitMix(seed: ~seed)
  }

  // MARK: Jobs

  /// Adds a ready job; returns `false`, without adding it, after the last drive of the simulation.
  ///
  /// Jobs in line are those of the main actor, which keep their order with any seed.
  mutating func enqueue(_ job: Job, from thread: ThreadIdentity, isInLine: Bool = false) -> Bool {
    guard !isOver else { return false }
    if isInLine, scheduling != nil { ready.appendInLine(job) } else { ready.append(job) }
    if thread != owner { foreignJobArrived() }
    return true
  }

  /// Returns the next step at this instant.
  ///
  /// With seed 0, all ready jobs run before the next due sleeper wakes. With any other seed, all due sleepers
  /// are woken first, so that the generator also chooses among them.
  mutating func next() -> Step {
    if scheduling != nil, let waiter = sleepers.popDue(at: now, includingLast: false) {
      return take(.wake(waiter))
    }
    if stepsAtInstant >= jobLimit, !ready.isEmpty || isAnybodyDue() { return exhaust() }
    let waiting = ready.candidateCount
    if var generator = scheduling {
      defer { scheduling = generator }
      if let (job, index) = ready.popRandom(using: &generator) {
        return start(job, index: index, of: waiting)
      }
    } else if let job = ready.popFirst() {
      return start(job, index: 0, of: waiting)
    }
    if let waiter = sleepers.popDue(at: now) { return take(.wake(waiter)) }
    return .settled
  }

  private mutating func start(_ job: Job, index: Int, of count: Int) -> Step {
    jobCount += 1
    mix(UInt64(truncatingIfNeeded: index) &+ UInt64(truncatingIfNeeded: count) << 32)
    return take(.run(job))
  }

  private mutating func take(_ step: Step) -> Step {
    stepsAtInstant += 1
    return step
  }

  private mutating func isAnybodyDue() -> Bool {
    sleepers.nextDeadline().map { $0 <= now } ?? false
  }

  private mutating func exhaust() -> Step {
    fail(
      """
      More than \(jobLimit) jobs ran at one instant (\(now) after the start): something loops \
      without ever waiting for time. Raise `jobLimit` if that many are meant.
      """
    )
    return .exhausted
  }

  private mutating func mix(_ word: UInt64) {
    scheduleHash = (scheduleHash ^ word) &* 0x0000_0100_0000_01B3
    scheduleHash ^= scheduleHash >> 29
  }

  /// Ends the schedule for good: no job is accepted any more.
  ///
  /// - Returns: The remaining jobs and sleepers.
  mutating func retire() -> (jobs: [Job], sleepers: [Waiter]) {
    isOver = true
    var jobs: [Job] = []
    while let job = ready.popFirst() { jobs.append(job) }
    return (jobs, sleepers.popAll())
  }

  // MARK: Time

  /// Moves time to the next sleeper's deadline if that is not after `limit`; returns whether time moved.
  mutating func moveToNextDeadline(notAfter limit: Duration?) -> Bool {
    guard let deadline = sleepers.nextDeadline() else { return false }
    if let limit, deadline > limit { return false }
    move(to: deadline)
    return true
  }

  mutating func move(to time: Duration) {
    guard time > now else { return }
    now = time
    stepsAtInstant = 0
    let parts = time.components
    mix(UInt64(bitPattern: parts.seconds) ^ UInt64(bitPattern: parts.attoseconds))
  }

  /// Allows as many further jobs at the present instant as at a new one.
  mutating func grantFreshLimit() {
    stepsAtInstant = 0
  }

  mutating func nextRandom() -> UInt64 {
    values.next()
  }

  // MARK: Driving

  mutating func beginDriving(from thread: ThreadIdentity) -> Bool {
    guard !isDriving else {
      fail(thread == owner ? Self.reentrant : Self.twoDrivers)
      return false
    }
    isDriving = true
    owner = thread
    stepsAtInstant = 0
    return true
  }

  mutating func endDriving() {
    isDriving = false
  }

  /// Makes a thread the owner of the simulation, because the thread uses it between two drives.
  mutating func adopt(_ thread: ThreadIdentity) {
    if !isDriving { owner = thread }
  }

  /// Notes that the simulation also runs jobs of the main actor and plain tasks from now on.
  mutating func mainActorHeld() {
    if mainActor == .none { mainActor = .held }
  }

  // MARK: Failures

  /// Notes that code of the simulation waits for a client that was made without it.
  ///
  /// If the main actor is part of the simulation, such a client answers in real time, and the result may
  /// differ from run to run. So the test fails, but only for the first such wait.
  mutating func waitedElsewhere(for subject: String) {
    guard mainActor == .held else { return }
    mainActor = .reported
    fail(
      """
      \(subject) was asked of a client that was made without the simulation: it runs in real time, of \
      which a test of `Simulation.onMainActor` has none. Make it by `QueryClient(simulation:)`.
      """
    )
  }

  mutating func fail(_ message: String) {
    if failures.count < Self.maximumFailures { failures.append(message) }
  }

  mutating func takeUndeliveredFailures() -> ArraySlice<String> {
    defer { deliveredFailures = failures.count }
    return failures[deliveredFailures...]
  }

  private mutating func foreignJobArrived() {
    foreignJobCount += 1
    // Only the first job is reported, because the number of further ones depends on the other thread and
    // differs from run to run.
    if foreignJobCount == 1 { fail(mainActor == .none ? Self.foreignJob : Self.returned) }
  }

  private static var foreignJob: String {
    """
    A job reached the simulation from a foreign thread: its order is no longer decided by the \
    seed. It is kept and runs on the simulation's own thread. Start tasks with `simulation.task` \
    or `executorPreference: simulation.executor` (a plain `Task { }` leaves the simulation), wait \
    on `simulation.clock` instead of `Task.sleep`, and keep work of the main actor, of dispatch \
    queues and of the network out of what is simulated. Models of the main actor and plain tasks \
    are tested in `Simulation.onMainActor`.
    """
  }

  private static var returned: String {
    """
    A task left the simulation and came back from a foreign thread: its order is no longer decided \
    by the seed. It goes on in the simulation. Wait on the clock of `Scheduling.current` instead of \
    `Task.sleep`, and replace what answers from dispatch queues, the network or actors with an \
    executor of their own.
    """
  }

  private static var reentrant: String {
    """
    The simulation was driven from inside one of its own jobs: nothing was done. Wait there with \
    `try await simulation.settled(after:)` or `simulation.clock.sleep(for:)`, and call `advance`, \
    `settle` and `run` from the test.
    """
  }

  private static var twoDrivers: String {
    """
    The simulation was driven from two threads at once: the second call did nothing. Give each \
    test a simulation of its own.
    """
  }
}
