/// A hash table of positions in an array that its owner keeps.
///
/// A slot takes eight bytes; a dictionary would store every key again. The owner passes in hashes
/// and comparisons; the table knows only positions, several of which may have the same hash. Half
/// of the hash is stored next to the position. A search therefore seldom reads the owner's array,
/// which would be a cache miss, for anything but its result. The table grows without reading that
/// array.
///
/// A *collision* is many positions with one hash. A few of them are in the slots and the others in a
/// ``CollisionBucket``, so that a search for another hash does not pass them.
struct HashTable: Sendable {
  private struct Slot: Sendable {
    /// The position, -1 in an empty slot.
    var position: Int32
    /// The lower half of the hash.
    var tag: UInt32
  }

  private static let empty = Slot(position: -1, tag: 0)

  /// The most positions with one tag that are in slots.
  static let slotsPerHash = 64

  private var slots: [Slot] = []
  /// The positions without a slot, by tag, for tags with ``slotsPerHash`` positions in slots.
  private var buckets: [UInt32: CollisionBucket] = [:]
  private var bucketCount = 0
  /// The number of positions.
  private(set) var count = 0

  /// The number of slots.
  var capacity: Int { slots.count }

  private var mask: Int { slots.count - 1 }

  /// The slot at which a search for a tag begins.
  ///
  /// The tag is truncated, because half of all tags do not fit into an `Int` of 32 bits.
  @inline(__always)
  private func home(of tag: UInt32) -> Int { Int(truncatingIfNeeded: tag) & mask }

  /// Returns the first position with a hash that satisfies a condition.
  ///
  /// - Parameters:
  ///   - hash: The hash.
  ///   - isWanted: Whether a position is the wanted one.
  ///   - order: How the wanted key compares to the key at a position; called only in a collision.
  /// - Returns: The position.
  @inline(__always)
  func first(
    hash: Int,
    where isWanted: (Int32) -> Bool,
    order: (Int32) -> KeyOrder?
  ) -> Int32? {
    guard count > 0 else { return nil }
    let tag = UInt32(truncatingIfNeeded: hash)
    var index = home(of: tag)
    while slots[index].position >= 0 {
      if slots[index].tag == tag, isWanted(slots[index].position) { return slots[index].position }
      index = (index + 1) & mask
    }
    guard bucketCount > 0 else { return nil }
    return buckets[tag]?.first(where: isWanted, order)
  }

  /// Calls the body with every position that may have the hash.
  func forEach(hash: Int, order: (Int32) -> KeyOrder?, _ body: (Int32) -> Void) {
    guard count > 0 else { return }
    let tag = UInt32(truncatingIfNeeded: hash)
    var index = home(of: tag)
    while slots[index].position >= 0 {
      if slots[index].tag == tag { body(slots[index].position) }
      index = (index + 1) & mask
    }
    guard bucketCount > 0 else { return }
    buckets[tag]?.forEach(order) { position in
      body(position)
      return true
    }
  }

  /// The number of slots that a search for a missing hash reads.
  func reach(of hash: Int) -> Int {
    guard count > 0 else { return 0 }
    let start = home(of: UInt32(truncatingIfNeeded: hash))
    var index = start
    while slots[index].position >= 0 { index = (index + 1) & mask }
    return (index - start) & mask + 1
  }

  /// Adds a position.
  ///
  /// - Returns: Whether the position is in a collision.
  @discardableResult
  mutating func insert(
    _ position: Int32,
    hash: Int,
    order: (Int32) -> KeyOrder?
  ) -> Collision {
    // At most four fifths of the slots are in use: a search that finds nothing then reads two cache
    // lines.
    if (count - bucketCount + 1) * 5 > slots.count * 4 { grow() }
    let slot = Slot(position: position, tag: UInt32(truncatingIfNeeded: hash))
    count += 1
    guard insert(slot) >= Self.slotsPerHash else { return Collision() }
    bucketCount += 1
    let unsorted = buckets[slot.tag, default: CollisionBucket()].insert(position, order)
    return Collision(
      begins: buckets[slot.tag]?.count == 1,
      isTooLarge: unsorted > CollisionBucket.most
    )
  }

  /// Removes a position.
  mutating func remove(_ position: Int32, hash: Int) {
    guard count > 0 else { return }
    let tag = UInt32(truncatingIfNeeded: hash)
    var hole = home(of: tag)
    while slots[hole].position != position {
      guard slots[hole].position >= 0 else { return removeFromBucket(position, tag) }
      hole = (hole + 1) & mask
    }
    count -= 1
    // Positions that a search could no longer reach are moved back over the empty slot. A marker in
    // the slot would do, too, but markers would gather as entries come and go.
    var index = (hole + 1) & mask
    while slots[index].position >= 0 {
      let home = home(of: slots[index].tag)
      if (index - home) & mask >= (index - hole) & mask {
        slots[hole] = slots[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    slots[hole] = HashTable.empty
    if bucketCount > 0, let next = buckets[tag]?.first {
      takeFromBucket(next, tag)
      insert(Slot(position: next, tag: tag))
    }
  }

  private mutating func removeFromBucket(_ position: Int32, _ tag: UInt32) {
    if takeFromBucket(position, tag) { count -= 1 }
  }

  @discardableResult
  private mutating func takeFromBucket(_ position: Int32, _ tag: UInt32) -> Bool {
    guard buckets[tag]?.remove(position) ?? false else { return false }
    if buckets[tag]?.count == 0 { buckets[tag] = nil }
    bucketCount -= 1
    return true
  }

  /// Puts a position into an empty slot, unless its tag already has ``slotsPerHash`` slots.
  ///
  /// - Returns: The number of slots that the tag had before.
  @discardableResult
  private mutating func insert(_ slot: Slot) -> Int {
    var index = home(of: slot.tag)
    var equals = 0
    while slots[index].position >= 0 {
      if slots[index].tag == slot.tag { equals += 1 }
      index = (index + 1) & mask
    }
    if equals < Self.slotsPerHash { slots[index] = slot }
    return equals
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: HashTable.empty, count: max(8, old.count * 2))
    // Slots behind an empty one come first, so that positions with one hash stay in their order where a run of
    // slots goes on at the beginning of the table.
    let start = old.firstIndex { $0.position < 0 } ?? 0
    for slot in old[start...] where slot.position >= 0 { insert(slot) }
    for slot in old[..<start] where slot.position >= 0 { insert(slot) }
  }
}

/// The order of two keys, if it can be determined.
enum KeyOrder: Sendable {
  case before
  /// Neither comes before the other: they may be equal.
  case beside
  case after
}

extension KeyOrder {
  static func between<Value: Comparable>(_ one: Value, _ two: Value) -> KeyOrder {
    one < two ? .before : two < one ? .after : .beside
  }
}

/// Whether a key, or one of its prefixes, is one of many with the same hash.
struct Collision: Equatable, Sendable {
  /// Whether the key or prefix is the first one beyond the ``HashTable/slotsPerHash`` that have slots.
  var begins = false
  /// Whether a search for the key or prefix compares more than ``CollisionBucket/most`` others, one by one.
  ///
  /// A cache with a limit does not keep such an entry.
  var isTooLarge = false
}
