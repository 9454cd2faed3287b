internal import StreamQuery

/// Waits until an object that shows a query has not been asked for another key for an interval.
@MainActor
final class Debouncer {
  private var machine = KeyDebounceMachine()
  /// Goes over to the key that waits.
  private var goOver: (@MainActor (ObserverOptions?) -> Void)?
  /// The options that were said while it waits; `nil` are those of before.
  private var options: ObserverOptions?
  private var task: Task<Void, Never>?

  deinit {
    task?.cancel()
  }

  /// A key was asked for.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - observed: The key that is observed.
  ///   - options: The options for it; `nil` are those that wait, or those of before.
  ///   - interval: How long no other key may be asked for.
  ///   - clock: Whose time counts.
  ///   - goOver: Observes the key, later.
  /// - Returns: Whether it waits; otherwise it is to be observed at once, and nothing is to wait.
  func waits(
    for key: AnyQueryKey,
    observing observed: AnyQueryKey,
    options: ObserverOptions?,
    interval: Duration,
    clock: any Clock<Duration>,
    _ goOver: @escaping @MainActor (ObserverOptions?) -> Void
  ) -> Bool {
    switch machine.came(key, observing: observed) {
    case .goOver: return false
    case .wait: restart(interval, clock)
    case .goOnWaiting: break
    }
    // The newest one counts: it may be another query of that key.
    self.goOver = goOver
    replaceOptions(options)
    return true
  }

  /// Options were said, for whatever is observed from now on; nothing if no key waits.
  func replaceOptions(_ options: ObserverOptions?) {
    if goOver != nil, options != nil { self.options = options }
  }

  /// Nothing waits any more.
  ///
  /// - Returns: The options that waited.
  @discardableResult
  func drop() -> ObserverOptions? {
    defer { options = nil }
    task?.cancel()
    (task, goOver) = (nil, nil)
    machine.ended()
    return options
  }

  /// Goes over at once to the key that waits.
  func hurry() {
    let goOver = goOver
    let options = drop()
    goOver?(options)
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
