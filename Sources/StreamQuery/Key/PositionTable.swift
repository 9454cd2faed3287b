/// A hash table of positions in an array that its owner keeps.
///
/// Four bytes a slot, where a dictionary would store every key again. The owner passes hashes in and
/// compares; the table knows positions only, several of which may have the same hash.
struct PositionTable: Sendable {
  private static let empty: Int32 = -1

  private var slots: [Int32] = []
  private(set) var count = 0

  /// The number of slots.
  var capacity: Int { slots.count }

  private var mask: Int { slots.count - 1 }

  /// Returns the first position under a hash that satisfies a condition.
  @inline(__always)
  func first(hash: Int, where isWanted: (Int32) -> Bool) -> Int32? {
    guard count > 0 else { return nil }
    var slot = hash & mask
    while slots[slot] != PositionTable.empty {
      if isWanted(slots[slot]) { return slots[slot] }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Calls the body with every position that may have the hash.
  func forEach(hash: Int, _ body: (Int32) -> Void) {
    guard count > 0 else { return }
    var slot = hash & mask
    while slots[slot] != PositionTable.empty {
      body(slots[slot])
      slot = (slot + 1) & mask
    }
  }

  /// Adds a position; `hashOf` gives the hash of one that is there already.
  mutating func insert(_ position: Int32, hash: Int, hashOf: (Int32) -> Int) {
    // Half full, a search that finds nothing takes two and a half looks; three quarters full, eight,
    // each of them a cache miss.
    if (count + 1) * 2 > slots.count { grow(hashOf) }
    place(position, hash: hash)
    count += 1
  }

  /// Removes a position.
  mutating func remove(_ position: Int32, hash: Int, hashOf: (Int32) -> Int) {
    guard count > 0 else { return }
    var hole = hash & mask
    while slots[hole] != position {
      guard slots[hole] != PositionTable.empty else { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // Moves what could no longer be reached across the hole, instead of leaving a mark that would
    // pile up as entries come and go.
    var slot = (hole + 1) & mask
    while slots[slot] != PositionTable.empty {
      let home = hashOf(slots[slot]) & mask
      if (slot - home) & mask >= (slot - hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    slots[hole] = PositionTable.empty
  }

  private mutating func place(_ position: Int32, hash: Int) {
    var slot = hash & mask
    while slots[slot] != PositionTable.empty { slot = (slot + 1) & mask }
    slots[slot] = position
  }

  private mutating func grow(_ hashOf: (Int32) -> Int) {
    let old = slots
    slots = Array(repeating: PositionTable.empty, count: max(8, old.count * 2))
    for position in old where position != PositionTable.empty {
      place(position, hash: hashOf(position))
    }
  }
}
