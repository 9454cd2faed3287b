/// The next deadline of each entry and run that has one, and the deadline that the timer sleeps for.
struct CacheDeadlines {
  private(set) var heap = DeadlineHeap()
  /// The position of each slot's deadline in the heap; -1 for a slot without a deadline.
  ///
  /// The positions are not in the slots, because one change of the heap alters many of them. Here a dozen
  /// share a cache line.
  private(set) var positions: [Int32] = []
  /// The position of the deadline of each run's slot; -1 for a slot without a deadline.
  private var runPositions: [Int32] = []
  /// The deadline until which the timer sleeps; `nil` if it does not sleep.
  private var armed: Instant?

  /// The earliest deadline; runs have negative numbers, to distinguish them from entries.
  var first: DeadlineHeap.Item? {
    @inline(__always) get { heap.first }
  }

  /// Adds a position for an entry, if the entry's slot is a new one behind all others.
  mutating func makeRoom(for index: Int) {
    if index == positions.count { positions.append(-1) }
  }

  /// Sets the deadline of an entry.
  mutating func set(_ deadline: Instant?, _ index: Int) {
    let position = positions[index]
    guard deadline != nil || position >= 0 else { return }
    let owner = Int32(truncatingIfNeeded: index)
    Self.set(deadline, of: owner, at: position, in: &heap, &positions, &runPositions)
  }

  /// Sets the deadline of a run of a mutation.
  mutating func set(_ deadline: Instant?, run index: Int) {
    while runPositions.count <= index { runPositions.append(-1) }
    let position = runPositions[index]
    guard deadline != nil || position >= 0 else { return }
    let owner = ~Int32(truncatingIfNeeded: index)
    Self.set(deadline, of: owner, at: position, in: &heap, &positions, &runPositions)
  }

  /// The function is static, so that the heap can report positions while it is being changed.
  private static func set(
    _ deadline: Instant?,
    of owner: Int32,
    at position: Int32,
    in heap: inout DeadlineHeap,
    _ positions: inout [Int32],
    _ runPositions: inout [Int32]
  ) {
    positions.withUnsafeMutableBufferPointer { positions in
      heap.set(deadline, for: owner, at: position) { owner, position in
        if owner >= 0 {
          positions[Int(owner)] = position
        } else {
          runPositions[Int(~owner)] = position
        }
      }
    }
  }

  /// Renumbers the deadlines after entries moved into other slots.
  ///
  /// - Parameters:
  ///   - kept: The old slots of the remaining entries, in order.
  ///   - runs: The slots of the runs, in order.
  mutating func move(_ kept: [Int32], _ runs: [Int]) {
    var (oldHeap, oldPositions, oldRunPositions) = (DeadlineHeap(), [Int32](), [Int32]())
    swap(&oldHeap, &heap)
    swap(&oldPositions, &positions)
    swap(&oldRunPositions, &runPositions)
    positions = Array(repeating: -1, count: kept.count)
    for (place, slot) in kept.enumerated() {
      let position = oldPositions[Int(slot)]
      if position >= 0 { set(oldHeap.items[Int(position)].deadline, place) }
    }
    for run in runs where run < oldRunPositions.count && oldRunPositions[run] >= 0 {
      set(oldHeap.items[Int(oldRunPositions[run])].deadline, run: run)
    }
  }

  /// Forgets the slots of runs: these runs no longer exist, and had no deadlines.
  mutating func forgetRuns() { runPositions = [] }

  /// Records that the timer woke, so that it sleeps for no deadline now.
  mutating func timerWoke() { armed = nil }

  /// The time until which the timer has to sleep now; `nil` if it already wakes early enough.
  mutating func arm() -> Instant? {
    guard let first = heap.first?.deadline else { return nil }
    if let armed, armed <= first { return nil }
    armed = first
    return first
  }
}

extension CacheState {
  /// Handles the deadlines that are due.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of deadlines to handle, so that the lock is held briefly.
  ///   - transaction: The transaction.
  /// - Returns: Whether no due deadline is left.
  mutating func timeReached(limit: Int, _ transaction: inout Transaction) -> Bool {
    deadlines.timerWoke()
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

  /// Lets the timer wake earlier if there is a deadline before the time until which it sleeps.
  mutating func rearm() {
    if let first = deadlines.arm() { actionQueue.enqueue(.arm(first), insteadOf: .arm) }
  }
}
