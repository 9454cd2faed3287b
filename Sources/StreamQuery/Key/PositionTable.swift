/// A hash table of positions in an array that its owner keeps.
///
/// Eight bytes a slot, where a dictionary would store every key again. The owner passes hashes in and
/// compares; the table knows positions only, several of which may have the same hash. Half of the
/// hash lies beside the position, so that a search reads the owner's array, which is a cache miss,
/// for hardly anything but what it looks for, and the table grows and shrinks without a look at it.
struct PositionTable: Sendable {
  private struct Slot: Sendable {
    /// The position, -1 in an empty slot.
    var position: Int32
    /// The lower half of the hash.
    var tag: UInt32
  }

  private static let empty = Slot(position: -1, tag: 0)

  private var slots: [Slot] = []
  private(set) var count = 0

  /// The number of slots.
  var capacity: Int { slots.count }

  private var mask: Int { slots.count - 1 }

  /// Returns the first position under a hash that satisfies a condition.
  @inline(__always)
  func first(hash: Int, where isWanted: (Int32) -> Bool) -> Int32? {
    guard count > 0 else { return nil }
    let tag = UInt32(truncatingIfNeeded: hash)
    var index = Int(tag) & mask
    while slots[index].position >= 0 {
      if slots[index].tag == tag, isWanted(slots[index].position) { return slots[index].position }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Calls the body with every position that may have the hash.
  func forEach(hash: Int, _ body: (Int32) -> Void) {
    guard count > 0 else { return }
    let tag = UInt32(truncatingIfNeeded: hash)
    var index = Int(tag) & mask
    while slots[index].position >= 0 {
      if slots[index].tag == tag { body(slots[index].position) }
      index = (index + 1) & mask
    }
  }

  /// Adds a position.
  mutating func insert(_ position: Int32, hash: Int) {
    // Up to four fifths full: a search that finds nothing reads two cache lines then.
    if (count + 1) * 5 > slots.count * 4 { grow() }
    place(Slot(position: position, tag: UInt32(truncatingIfNeeded: hash)))
    count += 1
  }

  /// Removes a position.
  mutating func remove(_ position: Int32, hash: Int) {
    guard count > 0 else { return }
    var hole = Int(UInt32(truncatingIfNeeded: hash)) & mask
    while slots[hole].position != position {
      guard slots[hole].position >= 0 else { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // Moves what could no longer be reached across the hole, instead of leaving a mark that would
    // pile up as entries come and go.
    var index = (hole + 1) & mask
    while slots[index].position >= 0 {
      let home = Int(slots[index].tag) & mask
      if (index - home) & mask >= (index - hole) & mask {
        slots[hole] = slots[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    slots[hole] = PositionTable.empty
  }

  private mutating func place(_ slot: Slot) {
    var index = Int(slot.tag) & mask
    while slots[index].position >= 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: PositionTable.empty, count: max(8, old.count * 2))
    for slot in old where slot.position >= 0 { place(slot) }
  }
}
