import Synchronization

/// Refetches for the elements of one trigger stream, when ``TriggerPacing`` says so.
final class PacedTrigger: Sendable {
  private struct State {
    var pacing: TriggerPacing
    var deadline: Deadline?
  }

  private let state: Mutex<State>
  private let deadlines: Deadlines
  private let randomness: @Sendable () -> UInt64
  private let refetch: @Sendable () -> Void

  /// - Parameters:
  ///   - pacing: How the refetches are paced.
  ///   - deadlines: Where those are set that come later.
  ///   - randomness: The source of random numbers.
  ///   - refetch: Refetches.
  init(
    _ pacing: RefetchPacing,
    _ deadlines: Deadlines,
    _ randomness: @escaping @Sendable () -> UInt64,
    refetch: @escaping @Sendable () -> Void
  ) {
    state = Mutex(State(pacing: TriggerPacing(pacing)))
    self.deadlines = deadlines
    self.randomness = randomness
    self.refetch = refetch
  }

  /// An element has come.
  func heard() {
    guard !state.withLock({ $0.pacing.isOff }) else { return refetch() }
    // User code, so outside the lock.
    let random = randomness()
    let now = deadlines.clock.now()
    guard let due = state.withLock({ $0.pacing.heard(at: now, random: random) }) else { return }
    guard due > now else { return begin(at: now) }
    let deadline = deadlines.set(at: due) { [weak self] in
      guard let self else { return }
      begin(at: deadlines.clock.now())
    }
    state.withLock { $0.deadline = deadline }
  }

  private func begin(at now: Instant) {
    state.withLock { $0.pacing.refetched(at: now) }
    refetch()
  }

  /// Nothing that is due refetches any more.
  func cancel() { state.withLock { $0.deadline.take() }?.cancel() }
}
