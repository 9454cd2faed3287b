internal import StreamQuery

extension Simulation {
  /// Runs everything that needs no time.
  ///
  /// Time stands still. Ends when nothing is ready and nobody's sleep is over.
  public func settle() {
    drive { _ = core.settle() }
  }

  /// Runs what is ready, then moves time, and stops at every sleeper's deadline on the way.
  ///
  /// Sleepers wake in order of deadline, ties in order of registration without a seed, and all that
  /// follows from one runs before the next wakes. Ends exactly `duration` later, with everything
  /// settled, or earlier with a failure when the limit of jobs at one instant is reached.
  ///
  /// - Parameter duration: How far; negative counts as zero.
  public func advance(by duration: Duration) {
    let target = clock.now.advanced(by: duration).offset
    drive { moveTime(to: target) }
  }

  /// Moves time to an instant, as `advance(by:)` does.
  ///
  /// - Parameter instant: Where to end; an instant in the past counts as now.
  public func advance(to instant: SimulationClock.Instant) {
    drive { moveTime(to: instant.offset) }
  }

  /// Waits inside the simulation until time has passed and all that was ready then has run.
  ///
  /// What `advance(by:)` is for a test, this is for code that runs in the simulation, such as the
  /// asynchronous body of `onMainActor` or the operation of `run`: after a sleep of the same length
  /// others that wake at that instant may still be waiting for their turn.
  ///
  /// ```swift
  /// try simulation.run {
  ///   let fetching = Task { try await client.fetch(.user(42)) }
  ///   try await simulation.settled(after: .seconds(1))
  ///   fetching.cancel()
  /// }
  /// ```
  ///
  /// - Parameter duration: How far time moves; nothing, or less, only lets run what is ready.
  /// - Throws: `CancellationError` at once when the task is or becomes cancelled.
  public func settled(after duration: Duration = .zero) async throws {
    let deadline = clock.now.advanced(by: duration).offset
    try await core.sleep(until: deadline, isBackground: false, isLast: true)
  }

  /// Ends the world: cancels its tasks, wakes all sleepers with `CancellationError`, and settles.
  ///
  /// A simulation that is released does the same, so that a test need not: what still waits then would
  /// wait for ever. Call it to look at what is left behind.
  public func shutDown() {
    end()
    deliverFailures()
  }

  private static var maximumAwakenings: Int { 100 }

  /// Ends the world without a word about what fails on the way; nothing if it is being driven.
  func end() {
    guard core.read({ $0.beginDriving(from: .current) }) else { return }
    registry.cancelAll()
    // What wakes may sleep again, deaf to cancellation; one that does so for ever is let be.
    for _ in 0..<Self.maximumAwakenings {
      for waiter in core.read({ $0.sleepers.popAll() }) {
        waiter.resume(throwing: CancellationError())
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
    // Otherwise the drive that goes on delivers, on the test's own thread.
  }
}
