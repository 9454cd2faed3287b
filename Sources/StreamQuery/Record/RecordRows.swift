/// Rows without references, in memory that is changed in place.
///
/// An array checks at each change whether it is shared, and stores the new value elsewhere meanwhile, which
/// costs a third of the time of an event. So copies of this value share their rows. Only a ring changes them,
/// under the lock of its cache; readers get rows in arrays.
struct RecordRows<Row: BitwiseCopyable & Sendable>: RandomAccessCollection, Sendable {
  /// Owns the memory of the rows, and frees it.
  private final class Memory: Sendable {
    // Safe, because the pointer is constant, and only `RecordRows` reads and changes its memory.
    nonisolated(unsafe) let start: UnsafeMutablePointer<Row>

    init(capacity: Int) { start = .allocate(capacity: capacity) }

    deinit { start.deallocate() }
  }

  private var memory: Memory?
  // Safe, because a lock guards the ring, the only owner of the rows.
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

  /// A row, in place; there must be one at this index.
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
