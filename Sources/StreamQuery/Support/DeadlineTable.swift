/// The deadlines of many waits, each with the work to do when it is due.
///
/// A cancelled deadline leaves nothing behind: the next deadline uses its row.
struct DeadlineTable<Work: Sendable> {
  /// The identity of a deadline; after the deadline was reached or cancelled, ``cancel(_:)`` finds nothing
  /// by it.
  struct ID: Equatable, Sendable {
    fileprivate let row: Int32
    fileprivate let serial: UInt64
  }

  private struct Row: FreeRows.Row {
    var work: Work?
    var serial: UInt64
    /// The deadline's position in the heap; while the row is free, the row that was freed before this one.
    var position: Int32

    var nextFree: Int32 {
      get { position }
      set { position = newValue }
    }
  }

  /// The work to do after the timer woke.
  struct Reached {
    /// The work of the deadlines that are due, the earliest first, equal ones in the order in which
    /// they were set.
    var due: [Work]
    /// The time for which to arm the timer; `nil` if that is not necessary, or if more deadlines
    /// are due.
    var next: Instant?
    /// Whether more deadlines are due.
    var hasMore: Bool
  }

  /// The maximum number of rows whose memory is kept when no deadline is left.
  private static var roomKept: Int { 64 }

  private var heap = DeadlineHeap()
  private var rows: [Row] = []
  private var free = FreeRows()
  private var lastSerial: UInt64 = 0
  /// The time for which the timer is armed.
  private var armed: Instant?

  /// The number of deadlines.
  var count: Int { heap.items.count }

  /// Sets a deadline.
  ///
  /// - Parameters:
  ///   - instant: The time.
  ///   - work: The work to do at that time.
  /// - Returns: The deadline, and the time for which to arm the timer; `nil` if the timer wakes early
  ///   enough.
  /// - Complexity: O(log *n*) in the number of deadlines.
  mutating func set(_ instant: Instant, _ work: Work) -> (id: ID, arms: Instant?) {
    lastSerial += 1
    let row = free.store(Row(work: work, serial: lastSerial, position: -1), in: &rows)
    setDeadline(row, at: instant)
    let id = ID(row: row, serial: lastSerial)
    if let armed, armed <= instant { return (id, nil) }
    armed = instant
    return (id, instant)
  }

  /// Cancels a deadline.
  ///
  /// - Parameter id: The deadline.
  /// - Returns: The deadline's work, to be released outside of locks; `nil` if it was reached or cancelled.
  /// - Complexity: O(log *n*) in the number of deadlines.
  mutating func cancel(_ id: ID) -> Work? {
    guard rows.indices.contains(Int(id.row)), rows[Int(id.row)].serial == id.serial else {
      return nil
    }
    return remove(id.row)
  }

  /// Takes the deadlines that are due, because the timer woke.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - limit: The number of deadlines to take at most, so that a lock is held briefly.
  /// - Returns: The work to do.
  mutating func woke(at now: Instant, limit: Int) -> Reached {
    armed = nil
    var due: [(serial: UInt64, at: Instant, work: Work)] = []
    while due.count < limit, let first = heap.first, first.deadline <= now {
      let serial = rows[Int(first.owner)].serial
      guard let work = remove(first.owner) else { break }
      due.append((serial, first.deadline, work))
    }
    due.sort { ($0.at, $0.serial) < ($1.at, $1.serial) }
    let next = heap.first?.deadline
    let hasMore = next.map { $0 <= now } ?? false
    armed = hasMore ? nil : next
    return Reached(due: due.map(\.work), next: armed, hasMore: hasMore)
  }

  /// Removes all deadlines, because the clock failed.
  ///
  /// - Returns: The work of all deadlines, in the order in which they were set.
  mutating func failed() -> [Work] {
    armed = nil
    let all = rows.filter { $0.work != nil }.sorted { $0.serial < $1.serial }
    (heap, rows, free) = (DeadlineHeap(), [], FreeRows())
    return all.compactMap(\.work)
  }

  private mutating func remove(_ row: Int32) -> Work? {
    let work = rows[Int(row)].work.take()
    setDeadline(row, at: nil)
    // Serials start at 1, so no deadline has this one.
    rows[Int(row)].serial = 0
    free.put(Int(row), in: &rows)
    if heap.first == nil, rows.count > Self.roomKept {
      (heap, rows, free) = (DeadlineHeap(), [], FreeRows())
    }
    return work
  }

  private mutating func setDeadline(_ row: Int32, at instant: Instant?) {
    heap.set(instant, for: row, at: rows[Int(row)].position) { owner, position in
      rows[Int(owner)].position = position
    }
  }
}
