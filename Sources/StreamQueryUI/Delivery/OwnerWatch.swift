/// Finds released owners where the system does not report them and no change comes.
///
/// It checks 1, 2, 4 … seconds after the newest observation began. So an observation ends at the latest after
/// twice its owner's life, and an app at rest is hardly ever woken.
@MainActor
final class OwnerWatch {
  private static var firstPause: Duration { .seconds(1) }

  private let clock: any Clock<Duration>
  private var task: Task<Void, Never>?
  private var pause = firstPause

  init(clock: any Clock<Duration>) {
    self.clock = clock
  }

  deinit {
    task?.cancel()
  }

  /// Starts the checks again at short intervals, because an observation has begun.
  ///
  /// - Parameter look: Releases observations with released owners.
  func begin(_ look: @escaping @MainActor () -> Void) {
    pause = Self.firstPause
    guard task == nil else { return }
    // The task is detached, because it serves all observations, and must not have the task-locals of the
    // first observation. It has no executor preference, because it checks on the main actor.
    task = Task.detached { [weak self, clock] in
      while let pause = await self?.nextPause() {
        guard (try? await clock.sleep(for: pause)) != nil else { return }
        await look()
      }
    }
  }

  /// Stops the checks, because no observation is left.
  func end() {
    task?.cancel()
    task = nil
  }

  private func nextPause() -> Duration? {
    // After a hundred years no further check is made.
    guard pause < .century else { return nil }
    defer { pause *= 2 }
    return pause
  }
}
