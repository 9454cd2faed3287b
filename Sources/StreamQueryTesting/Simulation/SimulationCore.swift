internal import StreamQuery
internal import Synchronization

/// The executor of a simulation, with the simulation's state.
///
/// It is not a part of `Simulation`, because tasks retain the executor that they prefer, and must not keep
/// the simulation itself alive.
final class SimulationCore: TaskExecutor {
  /// A sleeping task; it is resumed with `true` when its time has come, and with `false` when it is
  /// cancelled.
  typealias Waiter = SuspendedTask<Bool>
  typealias State = ScheduleState<ScheduledJob, Waiter>

  private let state: Mutex<State>
  let waits = WaitLog()

  init(seed: UInt64, jobLimit: Int) {
    state = Mutex(State(seed: seed, jobLimit: jobLimit, owner: .current))
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !keep(job, isOnMain: false) { globalConcurrentExecutor.enqueue(job) }
  }

  /// Adds a job to the schedule; returns `false` if the simulation is not driven any more.
  private func keep(_ job: UnownedJob, isOnMain: Bool) -> Bool {
    let thread = ThreadIdentity.current
    let scheduled = ScheduledJob(job: job, isOnMain: isOnMain)
    return state.withLock { $0.enqueue(scheduled, from: thread, isInLine: isOnMain) }
  }

  /// Passes the remaining jobs to ordinary threads, because this simulation is not driven any more.
  ///
  /// A client that outlives its simulation ends its own tasks later. The tasks need a thread for that;
  /// otherwise they would keep their objects alive for ever.
  func retire() {
    let rest = state.withLock { $0.retire() }
    for job in rest.jobs { job.sendOn() }
    for waiter in rest.sleepers { waiter.resume(returning: false) }
  }

  func read<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// Runs all ready jobs; returns `false` if the limit of jobs at one instant stopped it.
  ///
  /// Call it only between `beginDriving` and `endDriving`, which make sure that only one thread drives.
  func settle() -> Bool {
    let executor = asUnownedTaskExecutor()
    while true {
      switch state.withLock({ $0.next() }) {
      case .run(let job): job.run(on: executor)
      case .wake(let waiter): waiter.resume(returning: true)
      case .settled: return true
      case .exhausted: return false
      }
    }
  }

  /// Sleeps until a virtual time; throws `CancellationError` at once when the task is cancelled.
  ///
  /// A deadline that has passed still suspends the task, so that the limit of jobs stops a loop of empty
  /// sleeps. With `isLast`, the sleeper wakes when all other jobs at that instant have run.
  func sleep(until deadline: Duration, isBackground: Bool, isLast: Bool = false) async throws {
    try Task.checkCancellation()
    let ticket = state.withLock { state in
      state.sleepers.reserve(isBackground: isBackground, isLast: isLast)
    }
    let isDue = await withTaskCancellationHandler {
      await Waiter.suspend { waiter in
        let isParked = state.withLock { state in
          if state.isOver { return false }
          // A deadline in the past counts as now, so that it does not overtake a sleeper that is due already.
          return state.sleepers.park(waiter, on: ticket, until: max(deadline, state.now))
        }
        guard isParked else { return false }
        if !isBackground, waits.verdict(in: self) == .hopeless, waits.report("virtual time") {
          cancel(ticket)
        }
        return nil
      }
    } onCancel: {
      cancel(ticket)
    }
    if !isDue { throw CancellationError() }
  }

  private func cancel(_ ticket: Sleepers<Waiter>.Ticket) {
    state.withLock { $0.sleepers.cancel(ticket) }?.resume(returning: false)
  }
}

extension SimulationCore: ThreadJobs {
  func takeMain(_ job: UnownedJob) -> Bool {
    keep(job, isOnMain: true)
  }

  func takeGlobal(_ job: UnownedJob) -> Bool {
    keep(job, isOnMain: false)
  }
}

/// A job, and whether it belongs to the main actor.
struct ScheduledJob: Sendable {
  let job: UnownedJob
  let isOnMain: Bool

  func run(on executor: UnownedTaskExecutor) {
    guard isOnMain else {
      return MainStandIn.offTheMainActor { job.runSynchronously(on: executor) }
    }
    guard let standIn = MainStandIn.ofThisThread else { return sendOn() }
    // The job runs without the task executor, as on the real main actor. Plain tasks do not prefer a task
    // executor, and with one a call from the main actor to the main actor would suspend.
    job.runSynchronously(on: standIn.asUnownedSerialExecutor())
  }

  /// Passes the job to the executor that runs it outside of simulations.
  func sendOn() {
    if isOnMain { MainStandIn.sendOn(job) } else { globalConcurrentExecutor.enqueue(job) }
  }
}
