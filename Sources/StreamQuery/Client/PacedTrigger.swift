import Synchronization

/// Refetches for the elements of one trigger stream, when ``TriggerPacing`` says so.
final class PacedTrigger: Sendable {
  /// A deadline keeps this, and not the trigger, which keeps the deadlines.
  private final class Refetches: Sendable {
    let pacing: Mutex<TriggerPacing>
    private let refetch: @Sendable () -> Void

    init(_ pacing: RefetchPacing, _ refetch: @escaping @Sendable () -> Void) {
      self.pacing = Mutex(TriggerPacing(pacing))
      self.refetch = refetch
    }

    func begin(at now: Instant) {
      pacing.withLock { $0.refetched(at: now) }
      refetch()
    }

    func beginAtOnce() { refetch() }
  }

  private let refetches: Refetches
  private let deadlines: Deadlines
  private let pending = Mutex<Deadline?>(nil)
  private let randomness: @Sendable () -> UInt64

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
    refetches = Refetches(pacing, refetch)
    self.deadlines = deadlines
    self.randomness = randomness
  }

  /// An element has come.
  func heard() {
    guard !refetches.pacing.withLock({ $0.isOff }) else { return refetches.beginAtOnce() }
    // User code, so outside the lock.
    let random = randomness()
    let now = deadlines.clock.now()
    guard let due = refetches.pacing.withLock({ $0.heard(at: now, random: random) }) else { return }
    guard due > now else { return refetches.begin(at: now) }
    let deadline = deadlines.set(at: due) { [refetches, clock = deadlines.clock] in
      refetches.begin(at: clock.now())
    }
    pending.withLock { $0 = deadline }
  }

  /// Nothing that is due refetches any more.
  func cancel() { pending.withLock { $0.take() }?.cancel() }
}
