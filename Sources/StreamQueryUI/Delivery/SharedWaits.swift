/// Waits for many objects at once, so that a thousand rows need no task or timer of their own.
@MainActor
final class SharedWaits {
  private struct Waiter {
    weak var object: (any SharedWaiter)?
  }

  private let clock: any Clock<Duration>
  /// Strong, because the end must be told even if nothing else holds the object by then.
  private var inThisTurn: [any SharedWaiter] = []
  /// The objects that hear of the next second.
  private var due: [Waiter] = []
  /// The objects that began to wait since the last second, and are told of the one after the next.
  private var recent: [Waiter] = []
  private var isCounting = false

  /// - Parameter clock: The clock of the seconds; not its client, which need not live for this.
  init(clock: any Clock<Duration>) { self.clock = clock }

  /// Tells an object of the end of this turn.
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

  /// Tells an object when a second has passed; if others wait already, when two have passed at
  /// most.
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
