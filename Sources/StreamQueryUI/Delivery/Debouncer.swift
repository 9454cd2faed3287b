internal import StreamQuery

/// Delays a change of the key of an observed object until no other key came for an interval.
@MainActor
final class Debouncer {
  private var machine = KeyDebounceMachine()
  /// Starts to observe the waiting key.
  private var goOver: (@MainActor (ObserverOptions?) -> Void)?
  /// The options that were set during the wait; `nil` for the former ones.
  private var options: ObserverOptions?
  private var task: Task<Void, Never>?

  deinit {
    task?.cancel()
  }

  /// A key came.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - observed: The key that is observed.
  ///   - options: The options for it; `nil` for the waiting or the former ones.
  ///   - interval: The time for which no other key may come.
  ///   - clock: The clock of the interval.
  ///   - goOver: Observes the key, later.
  /// - Returns: Whether the key waits; otherwise it is to be observed at once, and no key waits.
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
    // The newest query counts: it may be another query of the same key.
    self.goOver = goOver
    replaceOptions(options)
    return true
  }

  /// Options were set for the query that is observed next; ignored if no key waits.
  func replaceOptions(_ options: ObserverOptions?) {
    if goOver != nil, options != nil { self.options = options }
  }

  /// Forgets the waiting key.
  ///
  /// - Returns: The waiting options.
  @discardableResult
  func drop() -> ObserverOptions? {
    defer { options = nil }
    task?.cancel()
    (task, goOver) = (nil, nil)
    machine.ended()
    return options
  }

  /// Observes the waiting key at once.
  func flush() {
    let goOver = goOver
    let options = drop()
    goOver?(options)
  }

  private func restart(_ interval: Duration, _ clock: any Clock<Duration>) {
    task?.cancel()
    // The task has no executor preference, because it runs on the main actor.
    task = Task { [weak self] in
      guard (try? await clock.sleep(for: min(interval, .century))) != nil, !Task.isCancelled
      else { return }
      self?.flush()
    }
  }
}

extension Duration {
  /// A hundred years: clocks may trap at longer waits.
  static var century: Self { .seconds(3_155_760_000 as Int64) }
}
