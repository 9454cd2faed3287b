/// Waits for many objects at once, so that a thousand rows need no task or timer each.
@MainActor
final class SharedWaits {
  private struct Waiter {
    weak var object: (any SharedWaiter)?
  }

  private let clock: any Clock<Duration>
  /// The objects that are told of the end of this turn.
  ///
  /// They are retained, because they must be told even if no other object retains them by then.
  private var inThisTurn: [any SharedWaiter] = []
  /// The objects that are told at the end of the present second.
  private var due: [Waiter] = []
  /// The objects that began to wait during the present second; they are told at the end of the next second.
  private var recent: [Waiter] = []
  private var isCounting = false

  /// Creates waits that retain the clock, but not its client.
  ///
  /// - Parameter clock: The clock that measures the seconds.
  init(clock: any Clock<Duration>) { self.clock = clock }

  /// Calls an object's `turnEnded()` at the end of this turn.
  func awaitEndOfTurn(_ waiter: any SharedWaiter) {
    inThisTurn.append(waiter)
    guard inThisTurn.count == 1 else { return }
    // The task has no executor preference, because the main actor would ignore one.
    Task {
      let waiters = inThisTurn
      inThisTurn = []
      for waiter in waiters { waiter.turnEnded() }
    }
  }

  /// Calls an object's `secondPassed()` after a second; if other objects wait already, after up to two
  /// seconds.
  func awaitSecond(_ waiter: any SharedWaiter) {
    guard !isCounting else { return recent.append(Waiter(object: waiter)) }
    isCounting = true
    due.append(Waiter(object: waiter))
    // The task has no executor preference, because the main actor would ignore one.
    Task { await countSeconds() }
  }

  private func countSeconds() async {
    while !due.isEmpty || !recent.isEmpty {
      try? await clock.sleep(for: .seconds(1))
      let waiters = due
      (due, recent) = (recent, [])
      for waiter in waiters where waiter.object?.secondPassed() == true { due.append(waiter) }
    }
    isCounting = false
  }
}
