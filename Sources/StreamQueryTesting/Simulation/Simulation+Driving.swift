internal import StreamQuery

extension Simulation {
  /// Runs all ready jobs at the present virtual time, until no job is ready and no sleeper is due.
  public func settle() {
    drive { _ = core.settle() }
  }

  /// Runs all ready jobs, then moves time, with a stop at every sleeper's deadline.
  ///
  /// Sleepers wake in the order of their deadlines. With seed 0, sleepers with equal deadlines wake in order
  /// of registration, and all jobs that follow from one sleeper run before the next wakes. The call ends
  /// exactly `duration` later, with everything settled; or earlier, with a failure, if the limit of jobs at
  /// one instant is reached.
  ///
  /// - Parameter duration: The time by which to move; a negative one counts as zero.
  public func advance(by duration: Duration) {
    let target = clock.now.advanced(by: duration).offset
    drive { moveTime(to: target) }
  }

  /// Moves time to an instant, like `advance(by:)`.
  ///
  /// - Parameter instant: The instant; an instant in the past counts as now.
  public func advance(to instant: SimulationClock.Instant) {
    drive { moveTime(to: instant.offset) }
  }

  /// Waits in a task of the simulation until time has passed and all jobs that were ready then have run.
  ///
  /// This is `advance(by:)` for code that runs in the simulation, such as the asynchronous body of
  /// `onMainActor` or the operation of `run`. After a plain sleep of the same length, other tasks that wake
  /// at that instant may still be waiting for their turn.
  ///
  /// ```swift
  /// try simulation.run {
  ///   let fetching = Task { try await client.fetch(.user(42)) }
  ///   try await simulation.settled(after: .seconds(1))
  ///   fetching.cancel()
  /// }
  /// ```
  ///
  /// - Parameter duration: The time by which to move; with zero or less, only ready jobs run.
  /// - Throws: `CancellationError` at once when the task is or becomes cancelled.
  public func settled(after duration: Duration = .zero) async throws {
    let deadline = clock.now.advanced(by: duration).offset
    try await core.sleep(until: deadline, isBackground: false, isLast: true)
  }

  /// Ends the simulation: cancels its tasks, wakes all sleepers with `CancellationError`, and runs all jobs.
  ///
  /// A test need not call it, because the release of the simulation does the same; otherwise waiting tasks
  /// would wait for ever. Call it to inspect what is left.
  public func shutDown() {
    end()
    deliverFailures()
  }

  private static var maximumAwakenings: Int { 100 }

  /// Ends the simulation without reporting failures; has no effect while the simulation is being driven.
  func end() {
    guard core.read({ $0.beginDriving(from: .current) }) else { return }
    registry.cancelAll()
    // A woken task may ignore the cancellation and sleep again. After this number of times, it is left alone.
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
    if core.read({ $0.beginDriving(from: .current) }) {
      core.waits.driveBegan()
      body()
      core.read { $0.endDriving() }
      deliverFailures()
    }
    // A call during a drive delivers no failures, because that drive delivers them on the test's own thread.
  }
}
