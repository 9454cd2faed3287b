extension CacheState {
  /// Handles the deadlines that are due.
  ///
  /// - Parameters:
  ///   - limit: The maximum number, so that the lock is held briefly.
  ///   - transaction: The transaction.
  /// - Returns: Whether none is left.
  mutating func timeReached(limit: Int, _ transaction: inout Transaction) -> Bool {
    armed = nil
    let now = transaction.environment.now.instant
    var left = limit
    while let first = deadlines.first, first.deadline <= now {
      guard left > 0 else { return false }
      left -= 1
      let index = Int(first.owner)
      if index < 0 {
        timeReached(mutation: ~index, &transaction)
      } else if slots[index].machine.isExpired(at: now), !slots[index].isFailureKept(at: now) {
        drop(index, reason: .expired, &transaction)
      } else {
        endSoftTimeout(index, &transaction)
        triggersReached(index, &transaction)
        electObserver(of: index, .interval, &transaction)
        input(index, &transaction) { $0.timeReached(in: $1) }
      }
    }
    return true
  }

  mutating func setDeadline(_ deadline: Instant?, mutation index: Int) {
    let position = mutations.slots[index].heapPosition
    guard deadline != nil || position >= 0 else { return }
    // Negative, to distinguish runs from entries.
    setDeadline(deadline, owner: ~Int32(truncatingIfNeeded: index), at: position)
  }

  /// Asks for an earlier wake-up if a deadline lies before the armed one.
  mutating func rearm() {
    guard let first = deadlines.first?.deadline else { return }
    if let armed, armed <= first { return }
    armed = first
    actionQueue.append(.arm(first), insteadOf: .arm)
  }
}
