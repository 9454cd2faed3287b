/// Rows without references, in memory that is changed in place.
///
/// An array asks at each change whether it is shared, and what is to be stored waits elsewhere meanwhile: a third of
/// the price of an event. So copies of this value have the same rows. A ring is the only one that changes them, under
/// the lock of its cache; rows leave it in arrays.
struct RecordRows<Row: BitwiseCopyable & Sendable>: RandomAccessCollection, Sendable {
  /// The memory, for as long as a value has it.
  private final class Memory: Sendable {
    // Right because it is a constant, whose memory only `RecordRows` reads and changes.
    nonisolated(unsafe) let start: UnsafeMutablePointer<Row>

    init(capacity: Int) { start = .allocate(capacity: capacity) }

    deinit { start.deallocate() }
  }

  private var memory: Memory?
  // Right because a lock guards the ring, the only owner of the rows.
  nonisolated(unsafe) private var start: UnsafeMutablePointer<Row>?
  private(set) var count = 0
  private(set) var capacity = 0

  init() {}

  /// Creates rows that are all the same.
  init(repeating row: Row, count: Int) {
    reserve(count)
    start?.initialize(repeating: row, count: count)
    self.count = count
  }

  /// A row, in place, which has to be there.
  subscript(index: Int) -> Row {
    @inline(__always) _read {
      assert(index >= 0 && index < count)
      yield start.unsafelyUnwrapped[index]
    }
    @inline(__always) _modify {
      assert(index >= 0 && index < count)
      yield &start.unsafelyUnwrapped[index]
    }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  mutating func extend(with row: Row) {
    if count == capacity { reserve(capacity == 0 ? 16 : 2 * capacity) }
    start.unsafelyUnwrapped.advanced(by: count).initialize(to: row)
    count += 1
  }

  private mutating func reserve(_ capacity: Int) {
    guard capacity > 0 else { return }
    let next = Memory(capacity: capacity)
    if let start { next.start.moveInitialize(from: start, count: count) }
    (memory, start, self.capacity) = (next, next.start, capacity)
  }
}
