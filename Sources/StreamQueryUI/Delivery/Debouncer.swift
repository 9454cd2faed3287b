internal import StreamQuery

/// Waits until an object that shows a query has not been asked for another key for an interval.
@MainActor
final class Debouncer {
  private var machine = KeyDebounceMachine()
  /// Goes over to the key that waits.
  private var goOver: (@MainActor () -> Void)?
  private var task: Task<Void, Never>?

  deinit {
    task?.cancel()
  }

  /// A key was asked for.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - observed: The key that is observed.
  ///   - interval: How long no other key may be asked for.
  ///   - clock: Whose time counts.
  ///   - goOver: Observes the key, later.
  /// - Returns: Whether it waits; otherwise it is to be observed at once, and nothing waits.
  func waits(
    for key: AnyQueryKey,
    observing observed: AnyQueryKey,
    interval: Duration,
    clock: any Clock<Duration>,
    _ goOver: @escaping @MainActor () -> Void
  ) -> Bool {
    switch machine.came(key, observing: observed) {
    case .goOver:
      drop()
      return false
    case .wait: restart(interval, clock)
    case .goOnWaiting: break
    }
    // What was said last: it may have other options.
    self.goOver = goOver
    return true
  }

  /// Nothing waits any more.
  func drop() {
    task?.cancel()
    (task, goOver) = (nil, nil)
    machine.ended()
  }

  /// Goes over at once to the key that waits.
  func hurry() {
    let goOver = goOver
    drop()
    goOver?()
  }

  private func restart(_ interval: Duration, _ clock: any Clock<Duration>) {
    task?.cancel()
    // No executor preference: it runs on the main actor.
    task = Task { [weak self] in
      guard (try? await clock.sleep(for: min(interval, .century))) != nil, !Task.isCancelled
      else { return }
      self?.hurry()
    }
  }
}

extension Duration {
  /// A hundred years: clocks may trap at longer waits.
  static var century: Self { .seconds(3_155_760_000 as Int64) }
}
