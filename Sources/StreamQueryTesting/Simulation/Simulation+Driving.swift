internal import StreamQuery

extension Simulation {
  /// Runs everything that is ready, without moving time.
  ///
  /// It returns when no job is ready and no sleeper is due.
  public func settle() {
    drive { _ = core.settle() }
  }

  /// Runs what is ready, then moves time, and stops at every sleeper's deadline on the way.
  ///
  /// Sleepers wake in order of deadline; without a seed, ties wake in order of registration, and
  /// all that follows from one sleeper runs before the next wakes. It ends exactly `duration`
  /// later, with everything settled, or earlier with a failure if the limit of jobs at one instant
  /// is reached.
  ///
  /// - Parameter duration: How far to move time; negative counts as zero.
  public func advance(by duration: Duration) {
    let target = clock.now.advanced(by: duration).offset
    drive { moveTime(to: target) }
  }

  /// Moves time to an instant, like `advance(by:)`.
  ///
  /// - Parameter instant: Where to end; an instant in the past counts as now.
  public func advance(to instant: SimulationClock.Instant) {
    drive { moveTime(to: instant.offset) }
  }

  /// Waits inside the simulation until time has passed and everything that was ready then has run.
  ///
  /// It is the counterpart of `advance(by:)` for code that runs in the simulation, such as the
  /// asynchronous body of `onMainActor` or the operation of `run`. After a plain sleep of the same
  /// length, other tasks that wake at that instant may still be waiting for their turn.
  ///
  /// ```swift
  /// try simulation.run {
  ///   let fetching = Task { try await client.fetch(.user(42)) }
  ///   try await simulation.settled(after: .seconds(1))
  ///   fetching.cancel()
  /// }
  /// ```
  ///
  /// - Parameter duration: How far time moves; with zero or less, only what is ready runs.
  /// - Throws: `CancellationError` at once when the task is or becomes cancelled.
  public func settled(after duration: Duration = .zero) async throws {
    let deadline = clock.now.advanced(by: duration).offset
    try await core.sleep(until: deadline, isBackground: false, isLast: true)
  }

  /// Ends the simulation: cancels its tasks, wakes all sleepers with `CancellationError`, and
  /// settles.
  ///
  /// Releasing a simulation does the same, so a test need not call it: what still waits would
  /// otherwise wait for ever. Call it to inspect what is left behind.
  public func shutDown() {
    end()
    deliverFailures()
  }

  private static var maximumAwakenings: Int { 100 }

  /// Ends the simulation without reporting failures on the way; does nothing if it is being driven.
  func end() {
    guard core.read({ $0.beginDriving(from: .current) }) else { return }
    registry.cancelAll()
    // A woken task may sleep again, deaf to cancellation; one that does so for ever is left alone.
    for _ in 0..<Self.maximumAwakenings {
      for waiter in core.read({ $0.sleepers.popAll() }) {
        waiter.resume(returning: false)
      }
      guard core.settle(), core.read({ $0.sleepers.nextDeadline() }) != nil else { break }
    }
    core.read { $0.endDriving() }
  }

  private func moveTime(to target: Duration) {
    guard core.settle() else { return }
    while core.read({ $0.moveToNextDeadline(notAfter: target) }) {
      guard core.settle() else { return }
    }
    core.read { $0.move(to: target) }
  }

  private func drive(_ body: () -> Void) {
    let thread = ThreadIdentity.current
    if core.read({ $0.beginDriving(from: thread) }) {
      core.waits.driveBegan()
      body()
      core.read { $0.endDriving() }
      deliverFailures()
    }
    // Otherwise the current drive delivers, on the test's own thread.
  }
}
