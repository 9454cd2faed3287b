/// The sleepers of ``SharedSleeps``, and when each wakes.
struct SleeperTable<Sleeper: Sendable>: Sendable {
  /// A place in the table, of one sleep.
  struct Ticket: Equatable, Sendable {
    fileprivate let row: Int
    fileprivate let serial: UInt64
  }

  private struct Row: FreeRows.Row, Sendable {
    static var sparesRoom: Bool { false }

    var sleeper: Sleeper?
    /// The number of the sleep; zero while the row is free.
    var serial: UInt64 = 0
    var isCancelled = false
    var heapPosition: Int32 = -1
    var nextFree: Int32 = -1
  }

  private var rows: [Row] = []
  private var free = FreeRows()
  private var heap = DeadlineHeap()
  private var lastSerial: UInt64 = 0

  /// How many sleep.
  var count: Int { heap.items.count }

  /// When the next one wakes.
  var next: Instant? { heap.first?.deadline }

  /// Takes a place for a sleep that is about to begin; ``park(_:on:until:)`` follows.
  mutating func reserve() -> Ticket {
    let row = free.take(from: &rows, new: Row())
    lastSerial += 1
    rows[row].serial = lastSerial
    return Ticket(row: row, serial: lastSerial)
  }

  /// A sleeper is suspended.
  ///
  /// - Parameters:
  ///   - sleeper: The sleeper.
  ///   - ticket: Its place.
  ///   - instant: When it wakes.
  /// - Returns: Whether it sleeps; `false` if it was cancelled before.
  mutating func park(_ sleeper: Sleeper, on ticket: Ticket, until instant: Instant) -> Bool {
    guard !rows[ticket.row].isCancelled else {
      release(ticket.row)
      return false
    }
    rows[ticket.row].sleeper = sleeper
    setDeadline(instant, ticket.row)
    return true
  }

  /// A sleep was cancelled.
  ///
  /// - Parameter ticket: Its place; that of a sleep that is over is ignored.
  /// - Returns: The sleeper; `nil` if it is not suspended.
  mutating func cancel(_ ticket: Ticket) -> Sleeper? {
    guard rows[ticket.row].serial == ticket.serial else { return nil }
    guard let sleeper = rows[ticket.row].sleeper else {
      rows[ticket.row].isCancelled = true
      return nil
    }
    setDeadline(nil, ticket.row)
    release(ticket.row)
    return sleeper
  }

  /// Takes those that wake by now, the earliest first.
  mutating func takeDue(at now: Instant) -> [Sleeper] {
    var due: [Sleeper] = []
    while let first = heap.first, first.deadline <= now {
      let row = Int(first.owner)
      if let sleeper = rows[row].sleeper { due.append(sleeper) }
      setDeadline(nil, row)
      release(row)
    }
    return due
  }

  /// Takes all sleepers.
  mutating func takeAll() -> [Sleeper] { takeDue(at: Instant(nanoseconds: .max)) }

  private mutating func setDeadline(_ deadline: Instant?, _ row: Int) {
    let position = rows[row].heapPosition
    heap.set(deadline, for: Int32(truncatingIfNeeded: row), at: position) { owner, position in
      rows[Int(owner)].heapPosition = position
    }
  }

  private mutating func release(_ row: Int) {
    rows[row] = Row()
    free.put(row, in: &rows)
  }
}
