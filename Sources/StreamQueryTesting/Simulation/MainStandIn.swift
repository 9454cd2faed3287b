internal import StreamQuery
internal import Synchronization

/// Replaces the main actor's executor while a synchronous function occupies the main actor.
///
/// The thread of that function is *claimed*: jobs for the main actor that the thread enqueues meanwhile stay
/// with it. Other threads get the usual executor. If a task began during the claim and has left the thread,
/// it comes back to the thread when it hops to the main actor.
///
/// Each claim has an executor of its own, so that a task which waits beyond the end of its claim never joins
/// a later one. A task does not retain the executor for which it waits, so no executor is ever released.
final class MainStandIn: SerialExecutor {
  /// The claim during which the current task began.
  @TaskLocal private static var claim: Claim?

  /// The thread that runs the main-actor code of a simulation; 0 if no thread does.
  private static let owner = Atomic<UInt>(0)
  private static let isOffMainActor = Atomic<Bool>(false)
  /// The newest executor; it is in use while a thread is claimed.
  private static let newest = Mutex<MainStandIn?>(nil)

  private let former: MainStandIn?
  private let jobs: Mutex<(any ThreadJobs)?>

  private init(for jobs: any ThreadJobs, former: MainStandIn?) {
    self.jobs = Mutex(jobs)
    self.former = former
  }

  private static func make(for jobs: any ThreadJobs) -> MainStandIn {
    newest.withLock { newest in
      let standIn = MainStandIn(for: jobs, former: newest)
      newest = standIn
      return standIn
    }
  }

  /// Whether the current thread runs the main-actor code of a simulation.
  static var isOnClaimedThread: Bool {
    owner.load(ordering: .acquiring) == ThreadIdentity.current.number
  }

  /// The executor that replaces the main actor's on the current thread; `nil` if none does.
  static var ofThisThread: MainStandIn? {
    isOnClaimedThread ? newest.withLock { $0 } : nil
  }

  /// Claims this thread: jobs that it enqueues during the body go to `jobs`.
  ///
  /// Install ``RuntimeHooks`` before the call. The method is on the main actor, so that there is one claim
  /// at a time.
  ///
  /// - Parameters:
  ///   - jobs: Receives the jobs.
  ///   - onLateReturn: Called once, on any thread, if a task that began in the body comes back to the main
  ///     actor after the end of the claim.
  ///   - body: The work; it must leave no job behind.
  /// - Returns: The result of the body.
  @MainActor
  static func claimThread<Value>(
    for jobs: any ThreadJobs,
    onLateReturn: @escaping @Sendable () -> Void,
    _ body: () -> Value
  ) -> Value {
    let standIn = make(for: jobs)
    let claim = Claim(standIn, onLateReturn: onLateReturn)
    owner.store(ThreadIdentity.current.number, ordering: .releasing)
    defer {
      owner.store(0, ordering: .releasing)
      claim.end()
      standIn.retire()
    }
    return $claim.withValue(claim) { body() }
  }

  /// From now on, passes all jobs to the real main actor.
  private func retire() {
    let released = jobs.withLock { jobs in
      defer { jobs = nil }
      return jobs
    }
    // The object is released after the unlock, because its release may run user code.
    _ = released
  }

  /// Runs a job that has no actor.
  ///
  /// On the claimed thread, the job does not count as isolated to the main actor.
  static func offTheMainActor(_ run: () -> Void) {
    guard isOnClaimedThread else { return run() }
    let wasOff = isOffMainActor.exchange(true, ordering: .relaxed)
    run()
    isOffMainActor.store(wasOff, ordering: .relaxed)
  }

  /// Passes a job to the real main actor.
  static func sendOn(_ job: UnownedJob) {
    MainActor.shared.enqueue(job)
  }

  // MARK: Questions of the hooks

  /// The executor for a hop to the main actor on this thread; `nil` means the real one.
  static var asked: MainStandIn? { ofThisThread ?? claim?.standInIfOn }

  static func takeGlobal(_ job: UnownedJob) -> Bool {
    guard let jobs = ofThisThread?.jobs.withLock({ $0 }) else { return false }
    return jobs.takeGlobal(job)
  }

  // MARK: Requests of the runtime to an executor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = jobs.withLock({ $0 })?.takeMain(job) ?? false
    if !isTaken { Self.sendOn(job) }
  }

  func checkIsolated() {
    precondition(isIsolatingCurrentContext() ?? false, "This code does not run on the main actor.")
  }

  func isIsolatingCurrentContext() -> Bool? {
    Self.ofThisThread === self && !Self.isOffMainActor.load(ordering: .relaxed)
  }
}

/// A claim, which lasts while a thread runs the main-actor code of a simulation; the tasks that begin
/// meanwhile have it as a task-local value.
private final class Claim: Sendable {
  private enum Stage: Int, AtomicRepresentable {
    case on, over, reported
  }

  private let stage = Atomic<Stage>(.on)
  private let standIn: MainStandIn
  private let onLateReturn: @Sendable () -> Void

  init(_ standIn: MainStandIn, onLateReturn: @escaping @Sendable () -> Void) {
    self.standIn = standIn
    self.onLateReturn = onLateReturn
  }

  func end() {
    stage.store(.over, ordering: .releasing)
  }

  /// The executor while the claim lasts; after the claim's end `nil`, and the first read calls
  /// `onLateReturn`.
  var standInIfOn: MainStandIn? {
    switch stage.load(ordering: .acquiring) {
    case .on:
      return standIn
    case .over:
      let (isFirst, _) = stage.compareExchange(
        expected: .over,
        desired: .reported,
        ordering: .relaxed
      )
      if isFirst { onLateReturn() }
      return nil
    case .reported:
      return nil
    }
  }
}
