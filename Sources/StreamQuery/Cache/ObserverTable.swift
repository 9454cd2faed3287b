/// The observers of a cache.
///
/// An observer keeps its row until it leaves.
struct ObserverTable: RandomAccessCollection {
  private(set) var rows: [Observer] = []
  private var free = FreeRows()
  /// How many observers there are.
  private(set) var liveCount = 0
  /// Counts the identifiers ever made.
  private var serial: UInt32 = 0
  /// Counts the arrivals at entries: of observers that come, and of those that move to another entry.
  private var arrivals: UInt64 = 0

  var startIndex: Int { 0 }
  var endIndex: Int {
    @inline(__always) get { rows.count }
  }

  /// An observer, in place.
  subscript(index: Int) -> Observer {
    @inline(__always) get { rows[index] }
    @inline(__always) _modify { yield &rows[index] }
  }

  @inline(__always)
  func index(of id: ObserverID) -> Int? {
    let index = Int(id.index)
    return rows.indices.contains(index) && rows[index].generation == id.generation ? index : nil
  }

  @inline(__always)
  func id(of index: Int) -> ObserverID {
    ObserverID(index: Int32(truncatingIfNeeded: index), generation: rows[index].generation)
  }

  /// Makes an observer that observes no entry yet.
  ///
  /// - Parameter query: The query that it observes.
  /// - Returns: Its row.
  mutating func makeObserver(of query: StoredQuery) -> Int {
    let index = free.takeRow(from: &rows, new: Observer())
    liveCount += 1
    rows[index].activate(with: query, nextGeneration())
    return index
  }

  /// Makes an identifier that finds no observer, as if the observer had left.
  mutating func makeFormerID() -> ObserverID {
    ObserverID(index: .max, generation: nextGeneration())
  }

  /// The number for a new observer; never 0, the number of free rows.
  private mutating func nextGeneration() -> UInt32 {
    serial = serial == .max ? 1 : serial + 1
    return serial
  }

  /// The number of an arrival at an entry.
  mutating func nextArrival() -> UInt64 {
    arrivals += 1
    return arrivals
  }

  /// Frees a row, after its observer was taken out.
  mutating func free(_ index: Int) {
    free.put(index, in: &rows)
    liveCount -= 1
  }

  /// Takes all rows out of the table; none of them may be in use.
  mutating func takeRows() -> [Observer] {
    free = FreeRows()
    return rows.takeAll()
  }
}
