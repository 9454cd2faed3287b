/// Finds the entries whose keys begin with a prefix, at a cost proportional to the matches.
///
/// The index is a tree of prefixes, kept in arrays. A node stands for a prefix of some *longer*
/// key. An entry belongs to the node of all its parts but the last, so a thousand keys `("user",
/// id)` need one node. Siblings are linked by positions. Two hash tables of positions find a child
/// by its part and an entry by its whole key, the latter with the hash that was computed when the
/// key was made.
///
/// The index is used under the cache's lock. The only user code it calls is `==`, `hash(into:)` and, in a
/// collision of one hash, `<` of parts; a removal returns the values that it gives up, for the caller to
/// release after the lock. Traversal only follows links, and matches come in order of insertion: nothing
/// depends on the order of a hash table.
package struct KeyIndex {
  /// An entry, or an unused row.
  struct Entry: FreeRows.Row {
    var key: KeyStorage?
    /// The key's hash: reading the key itself would be a cache miss.
    var hash = 0
    var order: UInt64 = 0
    var id: Int32 = 0
    var node = none
    var next = none
    var previous = none

    var nextFree: Int32 {
      get { next }
      set { next = newValue }
    }
  }

  /// A prefix, or an unused row.
  struct Node: FreeRows.Row {
    /// The last part of the prefix; `nil` in the root and in unused rows.
    var part: KeyPart?
    /// Whether too many other prefixes have the same hash: see ``Collision/isTooLarge``.
    var isTooMany = false
    var hash: Int
    var parent: Int32
    var nextSibling: Int32 = none
    var previousSibling: Int32 = none
    var firstChild: Int32 = none
    var lastChild: Int32 = none
    var firstEntry: Int32 = none
    var lastEntry: Int32 = none

    var nextFree: Int32 {
      get { nextSibling }
      set { nextSibling = newValue }
    }
  }

  static let none: Int32 = -1
  static let root: Int32 = 0

  // The tables are changed only in this file and in that of `compact`.
  var entries: [Entry] = []
  var nodes: [Node] = [Node(part: nil, hash: 0, parent: none)]
  var entryTable = HashTable()
  var nodeTable = HashTable()
  private var freeEntries = FreeRows()
  private var freeNodes = FreeRows()
  var order: UInt64 = 0
  /// The position of the entry that was added last; that entry may be gone by now.
  private var lastAdded = none
  /// The walks that are paused while the index may change; there is hardly ever one.
  var walks: [Int: Walk] = [:]

  /// The number of slots in both hash tables.
  var slots: Int { entryTable.capacity + nodeTable.capacity }

  /// Creates an index without entries.
  package init() {}

  /// The number of entries.
  package var count: Int { entryTable.count }

  /// The number of prefixes in use, including the empty one.
  package var nodeCount: Int { nodeTable.count + 1 }

  /// The number of rows for entries and prefixes, used or not.
  package var capacity: (entries: Int, nodes: Int) { (entries.count, nodes.count) }

  /// Adds an entry.
  ///
  /// Several entries may have the same key, because their value types may differ; the pair of key
  /// and id must be new.
  ///
  /// - Parameters:
  ///   - key: The entry's key.
  ///   - id: The entry's id.
  /// - Returns: Whether the key or one of its prefixes is in a collision.
  /// - Complexity: O(1) for each part, on average. Among *n* keys or prefixes of one hash,
  ///   O(log *n*) comparisons if the parts have an order, otherwise O(*n*).
  @discardableResult
  mutating func insert(_ key: AnyQueryKey, id: Int32) -> Collision {
    let storage = key.storage
    var collision = Collision()
    let node = makeNode(of: storage, &collision)
    order += 1
    let previous = nodes[Int(node)].lastEntry
    let entry = Entry(
      key: storage,
      hash: storage.hash,
      order: order,
      id: id,
      node: node,
      previous: previous
    )
    let position = freeEntries.store(entry, in: &entries)
    lastAdded = position
    if previous == KeyIndex.none {
      nodes[Int(node)].firstEntry = position
    } else {
      entries[Int(previous)].next = position
    }
    nodes[Int(node)].lastEntry = position
    let own = enter(position, storage)
    return Collision(
      begins: own.begins || collision.begins,
      isTooLarge: own.isTooLarge || collision.isTooLarge
    )
  }

  /// Removes an entry, and the prefixes that no other key needs.
  ///
  /// - Parameters:
  ///   - storage: The entry's key.
  ///   - id: The entry's id. Nothing happens if no entry has this key and id.
  ///   - garbage: Takes the key and the parts that the index gives up; they may be objects of users.
  /// - Complexity: O(1) for each part, on average.
  mutating func remove(_ storage: KeyStorage, id: Int32, into garbage: inout Garbage) {
    guard let position = position(of: storage, id: id) else { return }
    if !walks.isEmpty { moveWalksPast(entry: position) }
    entryTable.remove(position, hash: storage.hash)
    if let key = entries[Int(position)].key.take() { garbage.collect(value: key) }
    let entry = entries[Int(position)]
    if entry.previous == KeyIndex.none {
      nodes[Int(entry.node)].firstEntry = entry.next
    } else {
      entries[Int(entry.previous)].next = entry.next
    }
    if entry.next == KeyIndex.none {
      nodes[Int(entry.node)].lastEntry = entry.previous
    } else {
      entries[Int(entry.next)].previous = entry.previous
    }
    entries[Int(position)] = Entry()
    freeEntries.put(Int(position), in: &entries)
    prune(from: entry.node, into: &garbage)
  }

  /// Finds the entry that has exactly this key and satisfies a condition.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - isWanted: Distinguishes entries with equal keys by their ids.
  /// - Returns: The entry's id; `nil` if there is no such entry.
  /// - Complexity: O(1), on average.
  @inline(__always)
  func first(with key: KeyStorage, where isWanted: (Int32) -> Bool) -> Int32? {
    let position = entryTable.first(hash: key.hash) { position in
      guard entries[Int(position)].hash == key.hash, let own = entries[Int(position)].key,
        own == key
      else { return false }
      return isWanted(entries[Int(position)].id)
    } order: {
      compare(key, to: $0)
    }
    return position.map { entries[Int($0)].id }
  }

  /// The rank of an entry by the time when it was made; 0 if there is none with this key and id.
  mutating func creationOrder(of key: KeyStorage, id: Int32) -> UInt64 {
    position(of: key, id: id).map { entries[Int($0)].order } ?? 0
  }

  // Inlined, because the call of a method that changes nothing would copy the index.
  @inline(__always)
  private func position(of key: KeyStorage, id: Int32) -> Int32? {
    entryTable.first(hash: key.hash) {
      entries[Int($0)].id == id && entries[Int($0)].hash == key.hash
        && entries[Int($0)].key == key
    } order: {
      compare(key, to: $0)
    }
  }

  /// Returns the position of the node for a prefix that is one part longer than another.
  func child(of parent: Int32, part: KeyPart) -> Int32? {
    child(of: parent, part: part, hash: KeyIndex.hash(of: part, below: nodes[Int(parent)].hash))
  }

  /// Calls the body with the position of each entry that has exactly this key.
  func forEachEntry(with key: KeyStorage, _ body: (Int32) -> Void) {
    entryTable.forEach(hash: key.hash, order: { compare(key, to: $0) }) { position in
      if entries[Int(position)].hash == key.hash, entries[Int(position)].key == key {
        body(position)
      }
    }
  }

  private func child(of parent: Int32, part: KeyPart, hash: Int) -> Int32? {
    nodeTable.first(hash: hash) {
      // The node is read in place, because a copy would retain the node's part.
      nodes[Int($0)].hash == hash && nodes[Int($0)].parent == parent && nodes[Int($0)].part == part
    } order: {
      compare(part, below: parent, to: $0)
    }
  }

  /// Puts an entry into its table.
  ///
  /// - Returns: Whether the entry's key is in a collision.
  @discardableResult
  mutating func enter(_ position: Int32, _ key: KeyStorage) -> Collision {
    // The table is taken out of the index while it changes, because the closure reads the index.
    var table = HashTable()
    swap(&table, &entryTable)
    defer { swap(&table, &entryTable) }
    return table.insert(position, hash: key.hash) { compare(key, to: $0) }
  }

  /// Puts a prefix into its table.
  ///
  /// - Returns: Whether the prefix is in a collision.
  @discardableResult
  mutating func enter(
    _ position: Int32,
    _ part: KeyPart,
    below parent: Int32,
    hash: Int
  ) -> Collision {
    var table = HashTable()
    swap(&table, &nodeTable)
    defer { swap(&table, &nodeTable) }
    return table.insert(position, hash: hash) { compare(part, below: parent, to: $0) }
  }

  /// Compares a key to the key of the entry at `position`, whose hash is the same.
  private func compare(_ key: KeyStorage, to position: Int32) -> KeyOrder? {
    entries[Int(position)].key.flatMap { key.order(to: $0) }
  }

  /// Compares the prefix that ends with `part` below the node `parent` to the prefix of the node at
  /// `position`, whose hash is the same.
  private func compare(_ part: KeyPart, below parent: Int32, to position: Int32) -> KeyOrder? {
    let node = nodes[Int(position)]
    guard node.parent == parent else { return .between(parent, node.parent) }
    return node.part.flatMap { part.order(to: $0) }
  }

  private static func hash(of part: KeyPart, below parent: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(UInt64(bitPattern: Int64(parent)) &* 256 | UInt64(part.kind))
    part.hashContent(into: &hasher)
    return hasher.finalize()
  }

  /// Returns the node for a new key, and makes it and those above it if necessary.
  ///
  /// Keys with the same node often follow each other, so the node of the last key is tried first.
  private mutating func makeNode(of key: KeyStorage, _ collision: inout Collision) -> Int32 {
    if lastAdded >= 0, Int(lastAdded) < entries.count,
      entries[Int(lastAdded)].key?.hasParts(of: key, butLast: 1) == true
    {
      let node = entries[Int(lastAdded)].node
      var prefix = node
      while prefix != KeyIndex.root {
        if nodes[Int(prefix)].isTooMany { collision.isTooLarge = true }
        prefix = nodes[Int(prefix)].parent
      }
      return node
    }
    var node = KeyIndex.root
    for part in key.parts.dropLast() {
      node = makeChild(of: node, part: part, &collision)
      if nodes[Int(node)].isTooMany { collision.isTooLarge = true }
    }
    return node
  }

  private mutating func makeChild(
    of parent: Int32,
    part: KeyPart,
    _ collision: inout Collision
  ) -> Int32 {
    let hash = KeyIndex.hash(of: part, below: nodes[Int(parent)].hash)
    if let node = child(of: parent, part: part, hash: hash) { return node }
    let previous = nodes[Int(parent)].lastChild
    var node = Node(part: part, hash: hash, parent: parent)
    node.previousSibling = previous
    let position = freeNodes.store(node, in: &nodes)
    if previous == KeyIndex.none {
      nodes[Int(parent)].firstChild = position
    } else {
      nodes[Int(previous)].nextSibling = position
    }
    nodes[Int(parent)].lastChild = position
    let own = enter(position, part, below: parent, hash: hash)
    if own.begins { collision.begins = true }
    nodes[Int(position)].isTooMany = own.isTooLarge
    return position
  }

  /// Frees a node without entries and children, then the parent if this node was its last child.
  private mutating func prune(from start: Int32, into garbage: inout Garbage) {
    var position = start
    while position != KeyIndex.root {
      // The node is read in place: usually nothing has to be done, and a copy would retain the
      // part.
      guard nodes[Int(position)].firstEntry == KeyIndex.none,
        nodes[Int(position)].firstChild == KeyIndex.none
      else { return }
      if !walks.isEmpty { moveWalksPast(node: position) }
      let node = nodes[Int(position)]
      nodeTable.remove(position, hash: node.hash)
      if node.previousSibling == KeyIndex.none {
        nodes[Int(node.parent)].firstChild = node.nextSibling
      } else {
        nodes[Int(node.previousSibling)].nextSibling = node.nextSibling
      }
      if node.nextSibling == KeyIndex.none {
        nodes[Int(node.parent)].lastChild = node.previousSibling
      } else {
        nodes[Int(node.nextSibling)].previousSibling = node.previousSibling
      }
      if let part = node.part { garbage.collect(value: part) }
      nodes[Int(position)] = Node(part: nil, hash: 0, parent: KeyIndex.none)
      freeNodes.put(Int(position), in: &nodes)
      position = node.parent
    }
  }
}
