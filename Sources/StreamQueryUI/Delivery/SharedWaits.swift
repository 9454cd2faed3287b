/// Waits for many objects at once, so that a thousand rows need no task or timer of their own.
@MainActor
final class SharedWaits {
  private struct Waiter {
    weak var object: (any SharedWaiter)?
  }

  private let clock: any Clock<Duration>
  /// The objects that hear of the end of this turn.
  ///
  /// They are retained, because they must hear of it even if nothing else holds them by then.
  private var inThisTurn: [any SharedWaiter] = []
  /// The objects that hear of the next second.
  private var due: [Waiter] = []
  /// The objects that began to wait since the last second; they hear of the second after the next
  /// one.
  private var recent: [Waiter] = []
  private var isCounting = false

  /// - Parameter clock: The clock of the seconds. The client of the clock is not retained.
  init(clock: any Clock<Duration>) { self.clock = clock }

  /// Tells an object of the end of this turn.
  func awaitEndOfTurn(_ waiter: any SharedWaiter) {
    inThisTurn.append(waiter)
    guard inThisTurn.count == 1 else { return }
    // The task has no executor preference, because it runs on the main actor.
    Task {
      let waiters = inThisTurn
      inThisTurn = []
      for waiter in waiters { waiter.turnEnded() }
    }
  }

  /// Tells an object when a second has passed; if others wait already, when two have passed at
  /// most.
  func awaitSecond(_ waiter: any SharedWaiter) {
    guard !isCounting else { return recent.append(Waiter(object: waiter)) }
    isCounting = true
    due.append(Waiter(object: waiter))
    // The task has no executor preference, because it runs on the main actor.
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
