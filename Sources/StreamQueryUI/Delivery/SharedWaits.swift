/// Waits for many objects at once: a thousand rows have no task and no timer of their own.
@MainActor
final class SharedWaits {
  private struct Waiter {
    weak var object: (any SharedWaiter)?
  }

  private let clock: any Clock<Duration>
  /// Not weakly: the end must be told, also if nothing else holds the object by then.
  private var inThisTurn: [any SharedWaiter] = []
  /// The objects that hear of the next second.
  private var due: [Waiter] = []
  /// The objects that asked since the last second, and hear of the one after the next.
  private var recent: [Waiter] = []
  private var isCounting = false

  /// - Parameter clock: Whose seconds count; not its client, which need not live for this.
  init(clock: any Clock<Duration>) { self.clock = clock }

  /// Tells an object when this turn is over.
  func awaitEndOfTurn(_ waiter: any SharedWaiter) {
    inThisTurn.append(waiter)
    guard inThisTurn.count == 1 else { return }
    // No executor preference: it runs on the main actor.
    Task {
      let waiters = inThisTurn
      inThisTurn = []
      for waiter in waiters { waiter.turnEnded() }
    }
  }

  /// Tells an object when a second has passed; if others wait already, it may be two.
  func awaitSecond(_ waiter: any SharedWaiter) {
    guard !isCounting else { return recent.append(Waiter(object: waiter)) }
    isCounting = true
    due.append(Waiter(object: waiter))
    // No executor preference: it runs on the main actor.
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
