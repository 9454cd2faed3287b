/// The slots of entries, with the index that finds them.
///
/// An entry keeps its slot until it is removed, or until all entries move together. An ``EntryID`` finds the
/// entry before and after such a move.
struct SlotTable: RandomAccessCollection {
  private(set) var rows: [EntrySlot] = []
  private var free = FreeRows()
  /// The new slots of entries that have moved, by generation, for identifiers from before the move.
  private(set) var moved: [UInt64: Int32] = [:]
  /// Counts the entries ever made.
  private(set) var serial: UInt64 = 0
  /// Finds slots, by key as well as by prefix.
  var keys = KeyIndex()
  /// Entries that are observed or fetching; reconnects and counts visit them.
  private(set) var live: [Int32] = []
  /// Counts the snapshots of all entries.
  var snapshotSerial: UInt64 = 0
  /// Counts the generations of waiters of all entries.
  var waiterSerial: UInt64 = 0

  var startIndex: Int { 0 }
  var endIndex: Int {
    @inline(__always) get { rows.count }
  }

  /// A slot, in place.
  subscript(index: Int) -> EntrySlot {
    @inline(__always) get { rows[index] }
    @inline(__always) _modify { yield &rows[index] }
  }

  // MARK: Finding entries

  @inline(__always)
  func index(of key: EntryKey) -> Int? {
    keys.first(with: key.storage) { rows[Int($0)].key?.valueType == key.valueType }.map(Int.init)
  }

  @inline(__always)
  func index(of id: EntryID) -> Int? {
    let index = Int(id.index)
    guard index < rows.count, rows[index].generation == id.generation, rows[index].key != nil
    else { return moved.isEmpty ? nil : Self.newIndex(of: id, among: moved) }
    return index
  }

  // This is a separate static function, so that the code that finds entries is small enough to be
  // inlined, and copies no state.
  @inline(never)
  private static func newIndex(of id: EntryID, among moved: [UInt64: Int32]) -> Int? {
    moved[id.generation].map(Int.init)
  }

  @inline(__always)
  func id(of index: Int) -> EntryID {
    EntryID(index: Int32(truncatingIfNeeded: index), generation: rows[index].generation)
  }

  // MARK: Entries come and go

  /// Makes the entry of a key that has none.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: The time.
  /// - Returns: Its slot, and whether too many keys have the same hash.
  mutating func makeEntry(of key: EntryKey, at now: Instant) -> (Int, Collision) {
    let index = free.takeRow(from: &rows, new: EntrySlot())
    serial += 1
    rows[index].begin(with: key, generation: serial, at: now)
    return (index, keys.insert(key.key, id: Int32(truncatingIfNeeded: index)))
  }

  /// Frees the slot of an entry that is neither live nor in the index, and whose contents were released.
  mutating func free(_ index: Int) {
    if !moved.isEmpty { moved[rows[index].generation] = nil }
    rows[index].reset()
    free.put(index, in: &rows)
  }

  /// Adds an entry to the ``live`` entries, or removes it.
  mutating func setLive(_ isLive: Bool, _ index: Int) {
    let position = rows[index].livePosition
    if isLive, position < 0 {
      rows[index].livePosition = Int32(truncatingIfNeeded: live.count)
      live.append(Int32(truncatingIfNeeded: index))
    } else if !isLive, position >= 0 {
      let last = live.removeLast()
      if last != Int32(truncatingIfNeeded: index) {
        live[Int(position)] = last
        rows[Int(last)].livePosition = position
      }
      rows[index].livePosition = -1
    }
  }

  /// Moves entries into new slots; the index stays as it is.
  ///
  /// - Parameter kept: The old slots of the remaining entries, in order.
  /// - Returns: The old slots, with the entries that do not remain.
  mutating func compact(to kept: [Int32]) -> [EntrySlot] {
    var old: [EntrySlot] = []
    swap(&old, &rows)
    free = FreeRows()
    live = []
    moved = Dictionary(minimumCapacity: kept.count)
    rows.reserveCapacity(kept.count)
    for (place, slot) in kept.enumerated() {
      rows.append(EntrySlot())
      swap(&rows[place], &old[Int(slot)])
      moved[rows[place].generation] = Int32(truncatingIfNeeded: place)
      guard rows[place].livePosition >= 0 else { continue }
      rows[place].livePosition = -1
      setLive(true, place)
    }
    return old
  }
}
