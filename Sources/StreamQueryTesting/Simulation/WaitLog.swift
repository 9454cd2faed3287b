internal import StreamQuery
internal import Synchronization

/// The waits of a simulation's tasks, and the waits of other tasks for the simulation's clients.
final class WaitLog: Sendable {
  private struct Watched {
    weak var wait: CallerWait?
    var watch: OutsideWait.Watch
  }

  private struct Elsewhere {
    weak var owner: (any AnyObject & Sendable)?
    let id: ObjectIdentifier
    let subject: String
  }

  private struct State {
    /// The number of calls, such as `advance(by:)`, that have driven the simulation so far.
    var drives = 0
    /// The task that created or last drove the simulation, by its number.
    ///
    /// Task numbers are reused, so a later task with the number of an ended driver also counts as the driver.
    /// That is correct: nobody drives the simulation for the later task, which would wait for ever.
    var driver: Int?
    var watched: [Watched] = []
    var isWatching = false
    var elsewhere: [Elsewhere] = []
    var suspendedCalls = 0
    var endlessCalls = 0
    /// Returns the simulation; `nil` after its release.
    var simulation: @Sendable () -> Simulation? = { nil }
    /// Waits between two checks, in real time, because virtual time stands still.
    var pause: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }
  }

  private let state = Mutex(State())

  private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Notes that the simulation was created, and by which task.
  func begin(_ simulation: @escaping @Sendable () -> Simulation?) {
    let task = Self.presentTask
    state.withLock { state in
      state.driver = task
      state.simulation = simulation
    }
    WaitObservation.startReporting()
  }

  /// Notes that the current task begins to drive the simulation.
  func driveBegan() {
    let task = Self.presentTask
    state.withLock { state in
      state.drives += 1
      state.driver = task
    }
  }

  /// Sets the pause between two checks, for tests.
  func setPause(_ pause: @escaping @Sendable () async -> Void) {
    state.withLock { $0.pause = pause }
  }

  // MARK: Known waits

  /// The number of waiting calls of scripted fetches that a test can release, and the number of all others.
  var scriptedCalls: (suspended: Int, endless: Int) {
    state.withLock { ($0.suspendedCalls, $0.endlessCalls) }
  }

  func callSuspended(isReleasable: Bool) { count(1, isReleasable) }

  func callWentOn(isReleasable: Bool) { count(-1, isReleasable) }

  private func count(_ change: Int, _ isReleasable: Bool) {
    state.withLock { state in
      if isReleasable { state.suspendedCalls += change } else { state.endlessCalls += change }
    }
  }

  /// The waits of the simulation's tasks for clients that were made without the simulation.
  var elsewhere: [String] {
    // The owners are read outside the lock, because the read may release the last reference.
    state.withLock { $0.elsewhere }.compactMap { $0.owner == nil ? nil : $0.subject }
  }

  func waitsElsewhere(for subject: String, owner: any AnyObject & Sendable) {
    let wait = Elsewhere(owner: owner, id: ObjectIdentifier(owner), subject: subject)
    let waits = state.withLock { $0.elsewhere }
    let gone = Set(waits.filter { $0.owner == nil }.map(\.id)).union([wait.id])
    state.withLock { state in
      state.elsewhere.removeAll { gone.contains($0.id) }
      state.elsewhere.append(wait)
    }
  }

  // MARK: Waits from outside

  /// Decides whether a wait of the current task can end.
  func verdict(in core: SimulationCore) -> OutsideWait.Verdict {
    // The task's executor preference is the only way to find out whether the current task belongs to this
    // simulation.
    let executor = core.asUnownedTaskExecutor()
    let prefersSimulation = withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor }
    if prefersSimulation { return .inside }
    let (isDriven, owner) = core.read { ($0.isDriving, $0.owner) }
    let task = Self.presentTask
    let driver = state.withLock { $0.driver }
    return OutsideWait(
      drive: isDriven ? owner == .current ? .here : .elsewhere : .none,
      isDriver: task != nil && task == driver
    )
    .verdict
  }

  /// Fails the test, because a wait for the simulation would never end.
  ///
  /// - Returns: Whether the simulation still exists; without it, its clients go on in real time.
  func report(_ subject: String, isWatched: Bool = false) -> Bool {
    guard let simulation = state.withLock({ $0.simulation })() else { return false }
    let who =
      isWatched
      ? "a task outside of the simulation, and for \(OutsideWait.patience) seconds nobody drove it"
      : "the task that drives the simulation: while it waits, nobody does"
    simulation.report(
      """
      A wait for \(subject) would never end. It was begun by \(who). It was cancelled. In a test \
      that is a synchronous function, write `try simulation.run { … }` around the call, or start it \
      by `simulation.task { … }` and move time by `advance(by:)`.
      """
    )
    return true
  }

  /// While a caller waits, checks from time to time whether the simulation is driven.
  func watch(_ wait: CallerWait) {
    let starts = state.withLock { state in
      state.watched.append(Watched(wait: wait, watch: .init(drives: state.drives)))
      defer { state.isWatching = true }
      return !state.isWatching
    }
    guard starts else { return }
    // The task is not detached, because the caller's task-locals identify its test. It has no executor
    // preference, because it runs while the simulation stands still.
    Task { await look() }
  }

  private func look() async {
    while true {
      await state.withLock { $0.pause }()
      let isDriven = state.withLock { $0.simulation }()?.core.read { $0.isDriving } ?? false
      let (watched, drives) = state.withLock { state in
        defer { state.watched = [] }
        return (state.watched, state.drives)
      }
      // The waits are read outside the lock, because the read may release the last reference.
      var rest: [Watched] = []
      for var watched in watched {
        guard let wait = watched.wait else { continue }
        if !watched.watch.looked(drives: drives, isDriven: isDriven) {
          rest.append(watched)
        } else if report(wait.text, isWatched: true) {
          wait.abandon()
        }
      }
      let isOver = state.withLock { state in
        state.watched += rest
        state.isWatching = !state.watched.isEmpty
        return !state.isWatching
      }
      if isOver { return }
    }
  }
}

extension SimulationCore: WaitObserver {
  func callerWaits(_ wait: CallerWait) {
    switch waits.verdict(in: self) {
    case .inside: break
    case .watched: waits.watch(wait)
    case .hopeless: if waits.report(wait.text) { wait.abandon() }
    }
  }

  func observerWaits(for subject: () -> String, leave: () -> Void) {
    // Only waits that cannot end are reported, because a stream may well bring no news.
    guard waits.verdict(in: self) == .hopeless, waits.report(subject()) else { return }
    leave()
  }

  func waitsElsewhere(
    for subject: () -> String,
    owner: any AnyObject & Sendable,
    isOnPool: Bool
  ) {
    let subject = subject()
    waits.waitsElsewhere(for: subject, owner: owner)
    // Only a client without an executor of its own answers in real time, so only such a client is reported
    // here. The client of a preview, for example, has an executor, and never answers.
    if isOnPool { read { $0.waitedElsewhere(for: subject) } }
  }
}
