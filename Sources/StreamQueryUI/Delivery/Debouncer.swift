internal import StreamQuery

/// Delays a change of an observed object's key until no other key was set for an interval.
@MainActor
final class Debouncer {
  private var machine = KeyDebounceMachine()
  /// Makes the object observe the waiting key; `nil` if no key waits.
  private var goOver: (@MainActor (ObserverOptions?) -> Void)?
  /// The options that were set during the wait; `nil` keeps the former ones.
  private var options: ObserverOptions?
  private var task: Task<Void, Never>?

  deinit {
    task?.cancel()
  }

  /// Decides whether a key that was set has to wait.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - observed: The key that is observed.
  ///   - options: The options for the key; `nil` keeps the options that wait, or else the present ones.
  ///   - interval: The time for which no other key may be set.
  ///   - clock: The clock that measures the interval.
  ///   - goOver: Makes the object observe the key after the wait.
  /// - Returns: Whether the key waits; otherwise the caller observes it at once, and no key waits.
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
    // The newest closure replaces the former one, because the query may be another one with the same key.
    self.goOver = goOver
    replaceOptions(options)
    return true
  }

  /// Replaces the options for the waiting key; has no effect if no key waits.
  func replaceOptions(_ options: ObserverOptions?) {
    if goOver != nil, options != nil { self.options = options }
  }

  /// Removes the waiting key, so that it is not observed.
  ///
  /// - Returns: The options that waited with the key.
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
    // The task has no executor preference, because the main actor would ignore one.
    task = Task { [weak self] in
      // If the clock throws an error of its own, the wait counts as over: otherwise the key would wait for
      // ever.
      try? await clock.sleep(for: min(interval, .century))
      if !Task.isCancelled { self?.flush() }
    }
  }
}

extension Duration {
  /// A hundred years, the longest wait, because clocks may trap at longer ones.
  static var century: Self { .seconds(3_155_760_000 as Int64) }
}
