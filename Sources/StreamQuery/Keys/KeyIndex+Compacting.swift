extension KeyIndex {
  /// Moves all entries and prefixes into as few rows as possible, in the same order.
  ///
  /// Nothing is hashed, and nothing is compared except members of a collision that shares one hash.
  ///
  /// - Parameter newID: Maps the id that an entry had to its new id.
  /// - Returns: The old rows, now empty, for the caller to free, because that takes long.
  /// - Complexity: O(*n*) in the number of rows, used or not.
  mutating func compact(newID: (Int32) -> Int32) -> KeyIndex {
    var old = KeyIndex()
    swap(&old, &self)
    order = old.order
    // The root comes first and always exists.
    let inNodes = Self.newPositions(old.nodes.indices) { $0 == 0 || old.nodes[$0].part != nil }
    let inEntries = Self.newPositions(old.entries.indices) { old.entries[$0].key != nil }
    nodes.reserveCapacity(old.nodeCount)
    for position in old.nodes.indices.dropFirst() {
      guard let part = old.nodes[position].part.take() else { continue }
      var node = old.nodes[position]
      node.part = part
      Self.relink(&node, inNodes, inEntries)
      nodes.append(node)
      let position = Int32(truncatingIfNeeded: nodes.count - 1)
      enter(position, part, below: node.parent, hash: node.hash)
    }
    nodes[0] = old.nodes[0]
    Self.relink(&nodes[0], inNodes, inEntries)
    entries.reserveCapacity(old.count)
    for position in old.entries.indices {
      guard let key = old.entries[position].key.take() else { continue }
      var entry = old.entries[position]
      entry.key = key
      entry.id = newID(entry.id)
      entry.node = inNodes[entry.node]
      entry.next = inEntries[entry.next]
      entry.previous = inEntries[entry.previous]
      entries.append(entry)
      let position = Int32(truncatingIfNeeded: entries.count - 1)
      enter(position, key)
    }
    return old
  }

  /// The new positions of the rows in use.
  private struct NewPositions {
    var newPositions: [Int32]

    subscript(position: Int32) -> Int32 {
      position == KeyIndex.none ? KeyIndex.none : newPositions[Int(position)]
    }
  }

  private static func relink(_ node: inout Node, _ inNodes: NewPositions, _ inEntries: NewPositions)
  {
    node.parent = inNodes[node.parent]
    node.nextSibling = inNodes[node.nextSibling]
    node.previousSibling = inNodes[node.previousSibling]
    node.firstChild = inNodes[node.firstChild]
    node.lastChild = inNodes[node.lastChild]
    node.firstEntry = inEntries[node.firstEntry]
    node.lastEntry = inEntries[node.lastEntry]
  }

  private static func newPositions(_ all: Range<Int>, _ isUsed: (Int) -> Bool) -> NewPositions {
    var newPositions = Array(repeating: KeyIndex.none, count: all.count)
    var next: Int32 = 0
    for position in all where isUsed(position) {
      newPositions[position] = next
      next += 1
    }
    return NewPositions(newPositions: newPositions)
  }
}
