internal import StreamQuery
internal import Synchronization

/// Stands in for the main actor's executor while a synchronous function holds the main actor.
///
/// That function's thread is claimed: jobs that it enqueues meanwhile are kept for it, since
/// nothing else runs there. Other threads get the usual answers, apart from tasks that began in the
/// claim and have left the thread: they come back when they hop to the main actor.
///
/// There is one instance, and it is immortal: tasks do not retain the executor that they wait for.
final class MainStandIn: SerialExecutor {
  static let shared = MainStandIn()

  /// The claim in which a task began.
  @TaskLocal private static var claim: Claim?

  private let owner = Atomic<UInt>(0)
  private let isOffMainActor = Atomic<Bool>(false)
  private let jobs = Mutex<(any ThreadJobs)?>(nil)

  private init() {}

  /// Whether the current thread is claimed.
  var isOnClaimedThread: Bool {
    owner.load(ordering: .acquiring) == ThreadIdentity.current.number
  }

  /// Claims this thread for as long as the body runs.
  ///
  /// The caller holds the main actor, so that there is one claim at a time, and has installed the hooks.
  ///
  /// - Parameters:
  ///   - jobs: Keeps the jobs that the thread enqueues.
  ///   - onLateReturn: Called once, on any thread, if a task that began in the body comes back to the
  ///     main actor after its end.
  ///   - body: What runs. It must leave no job behind.
  /// - Returns: What the body returns.
  @MainActor
  func claimThread<Value>(
    for jobs: any ThreadJobs,
    onLateReturn: @escaping @Sendable () -> Void,
    _ body: () -> Value
  ) -> Value {
    let claim = Claim(onLateReturn: onLateReturn)
    self.jobs.withLock { $0 = jobs }
    owner.store(ThreadIdentity.current.number, ordering: .releasing)
    defer {
      owner.store(0, ordering: .releasing)
      claim.end()
      let released = self.jobs.withLock { jobs in
        defer { jobs = nil }
        return jobs
      }
      // Released after unlocking: its release may run user code.
      _ = released
    }
    return Self.$claim.withValue(claim) { body() }
  }

  /// Runs a job that belongs to no actor on the claimed thread: it must not count as a job of the
  /// main actor.
  func offTheMainActor(_ run: () -> Void) {
    guard isOnClaimedThread else { return run() }
    let wasOff = isOffMainActor.exchange(true, ordering: .relaxed)
    run()
    isOffMainActor.store(wasOff, ordering: .relaxed)
  }

  /// Hands a job to the real main actor.
  static func sendOn(_ job: UnownedJob) {
    MainActor.shared.enqueue(job)
  }

  // MARK: What the hooks ask

  /// Whether a caller that asks for the main actor here gets the stand-in.
  var isAskedFor: Bool {
    if isOnClaimedThread { return true }
    return Self.claim?.isOn ?? false
  }

  func takeGlobal(_ job: UnownedJob) -> Bool {
    guard isOnClaimedThread, let jobs = jobs.withLock({ $0 }) else { return false }
    return jobs.takeGlobal(job)
  }

  // MARK: What the runtime asks of an executor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = jobs.withLock({ $0 })?.takeMain(job) ?? false
    if !isTaken { Self.sendOn(job) }
  }

  func checkIsolated() {
    precondition(isIsolatingCurrentContext() ?? false, "This code does not run on the main actor.")
  }

  func isIsolatingCurrentContext() -> Bool? {
    isOnClaimedThread && !isOffMainActor.load(ordering: .relaxed)
  }
}

/// A claim, as the tasks that began in it remember it.
private final class Claim: Sendable {
  private enum Stage: Int, AtomicRepresentable {
    case on, over, reported
  }

  private let stage = Atomic<Stage>(.on)
  private let onLateReturn: @Sendable () -> Void

  init(onLateReturn: @escaping @Sendable () -> Void) {
    self.onLateReturn = onLateReturn
  }

  func end() {
    stage.store(.over, ordering: .releasing)
  }

  /// Whether the claim is still in force; if it is over, reports the first caller.
  var isOn: Bool {
    switch stage.load(ordering: .acquiring) {
    case .on:
      return true
    case .over:
      let (isFirst, _) = stage.compareExchange(
        expected: .over,
        desired: .reported,
        ordering: .relaxed
      )
      if isFirst { onLateReturn() }
      return false
    case .reported:
      return false
    }
  }
}
