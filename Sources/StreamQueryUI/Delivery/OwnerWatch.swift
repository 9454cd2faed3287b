/// Finds released owners where the system does not tell, and no change comes.
///
/// It looks 1, 2, 4 … seconds after the newest observation began. So an observation ends at most after twice
/// the time, and an app at rest is hardly ever woken.
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

  /// An observation began.
  ///
  /// - Parameter look: Releases observations without owners.
  func begin(_ look: @escaping @MainActor () -> Void) {
    pause = Self.firstPause
    guard task == nil else { return }
    // The task is detached: it serves all observations, and must not have the task-locals of the
    // first one. It has no executor preference, because it looks on the main actor.
    task = Task.detached { [weak self, clock] in
      while let pause = await self?.nextPause() {
        guard (try? await clock.sleep(for: pause)) != nil else { return }
        await look()
      }
    }
  }

  /// No observation is left.
  func end() {
    task?.cancel()
    task = nil
  }

  private func nextPause() -> Duration? {
    // If an owner exists for a hundred years, nobody looks any more.
    guard pause < .century else { return nil }
    defer { pause *= 2 }
    return pause
  }
}
