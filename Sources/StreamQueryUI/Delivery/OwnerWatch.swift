internal import StreamQuery

/// Finds owners that were released, on systems that do not report a release.
///
/// Each change of the client also leads to a check, but the client may not change. So this object checks 1,
/// 2, 4 … seconds after the newest observation began. An observation then outlives its owner by at most a
/// second, or by at most the time that it had lasted before, and an app at rest is hardly ever woken.
@MainActor
final class OwnerWatch {
  private static var firstPause: Duration { .seconds(1) }

  private let clock: any Clock<Duration>
  private var task: Task<Void, Never>?
  /// The pause that the task is making.
  private var pause = firstPause
  /// The sum of the pauses that have begun since the newest observation.
  private var watched = Duration.zero

  init(clock: any Clock<Duration>) {
    self.clock = clock
  }

  deinit {
    task?.cancel()
  }

  /// Starts the checks again at short intervals, because an observation has begun.
  ///
  /// - Parameter look: Ends the observations of owners that were released.
  func begin(_ look: @escaping @MainActor () -> Void) {
    watched = .zero
    // A short pause goes on: otherwise observations that begin all the time would prevent every check.
    guard task == nil || pause > Self.firstPause else { return }
    task?.cancel()
    // The task is detached, because it serves all observations, and must not have the task-locals of the
    // first observation. It has no executor preference, because its checks run on the main actor, which would
    // ignore one.
    task = Task.detached { [weak self, clock] in
      while let pause = await self?.nextPause() {
        // If the clock throws an error of its own, the pause counts as over. The pauses grow, so even if the
        // clock throws each time, the checks soon end, until the next observation begins.
        try? await clock.sleep(for: pause)
        if !Task.isCancelled { await look() }
      }
    }
  }

  /// Stops the checks, because no observation is left.
  func end() {
    task?.cancel()
    task = nil
  }

  private func nextPause() -> Duration? {
    // After a hundred years no further check is made. A task that was replaced must not count its pause.
    guard watched < .century, !Task.isCancelled else { return nil }
    pause = max(Self.firstPause, watched)
    watched += pause
    return pause
  }
}
