extension KeyIndex {
  /// A walk over the entries whose keys begin with a prefix; it can pause between two steps.
  ///
  /// A walk follows links, parents before children, and remembers no entry that it has passed. If it pauses
  /// while the index changes, it is kept in ``walks``, where a removal moves it past the removed row. So the
  /// walk visits, once each, all entries that were present the whole time.
  package struct Walk: Sendable {
    /// The next step.
    enum Stage: Sendable {
      /// Check whether the node's part satisfies the prefix.
      case arriving
      /// Visit the node's entries, from this one on.
      case entries(Int32)
      /// Continue with the node's children, then with its siblings.
      case leaving
      case over
    }

    let prefix: KeyStorage
    /// Whether only equal parts satisfy the prefix: the path to it is then looked up, not searched.
    let isExact: Bool
    fileprivate(set) var node = KeyIndex.root
    fileprivate(set) var stage = Stage.arriving
    /// The number of parts that the node stands for.
    fileprivate(set) var depth = 0

    /// Creates a walk that has not begun.
    package init(of prefix: AnyQueryKey) {
      self.prefix = prefix.storage
      isExact = !prefix.storage.parts.contains(where: \.matchesMoreThanItself)
    }

    /// Whether all entries have been visited.
    package var isOver: Bool { if case .over = stage { true } else { false } }

    /// Whether the walk looks at all siblings of a node at this depth, and not only at the node.
    fileprivate func looksAround(at depth: Int) -> Bool {
      depth > prefix.parts.count || prefix.parts[depth - 1].matchesMoreThanItself
    }
  }

  /// Advances a walk.
  ///
  /// - Parameters:
  ///   - walk: The walk.
  ///   - limit: The most entries and prefixes to visit, not counting entries with exactly the key
  ///     of the prefix.
  ///   - body: Called with the position of each entry that is found.
  /// - Returns: The number of visits.
  @discardableResult
  func advance(_ walk: inout Walk, limit: Int = .max, _ body: (Int32) -> Void) -> Int {
    let count = walk.prefix.parts.count
    var visits = 0
    while visits < limit {
      switch walk.stage {
      case .over:
        return visits
      case .arriving:
        visits += 1
        if walk.depth == 0, walk.isExact, count > 0 {
          forEachEntry(with: walk.prefix, body)
        }
        if walk.depth > 0, walk.depth <= count, walk.looksAround(at: walk.depth),
          let own = nodes[Int(walk.node)].part,
          !walk.prefix.parts[walk.depth - 1].matches(own)
        {
          moveOn(&walk)
        } else if walk.depth >= count || (walk.depth == count - 1 && !walk.isExact) {
          walk.stage = .entries(nodes[Int(walk.node)].firstEntry)
        } else {
          walk.stage = .leaving
        }
      case .entries(KeyIndex.none):
        walk.stage = .leaving
      case .entries(let position):
        visits += 1
        walk.stage = .entries(entries[Int(position)].next)
        if walk.depth >= count {
          body(position)
        } else if let part = entries[Int(position)].key?.parts.last,
          walk.prefix.parts[walk.depth].matches(part)
        {
          body(position)
        }
      case .leaving:
        let child: Int32
        if walk.looksAround(at: walk.depth + 1) {
          child = nodes[Int(walk.node)].firstChild
        } else {
          child = self.child(of: walk.node, part: walk.prefix.parts[walk.depth]) ?? KeyIndex.none
        }
        if child == KeyIndex.none {
          moveOn(&walk)
        } else {
          walk.node = child
          walk.depth += 1
          walk.stage = .arriving
        }
      }
    }
    return visits
  }

  /// Moves past a node and everything below it.
  private func moveOn(_ walk: inout Walk) {
    while walk.node != KeyIndex.root {
      let next = nodes[Int(walk.node)].nextSibling
      if next != KeyIndex.none, walk.looksAround(at: walk.depth) {
        walk.node = next
        walk.stage = .arriving
        return
      }
      walk.node = nodes[Int(walk.node)].parent
      walk.depth -= 1
    }
    walk.stage = .over
  }

  // MARK: Paused walks

  /// Moves walks past an entry that is about to be removed.
  mutating func moveWalksPast(entry position: Int32) {
    for id in walks.keys {
      guard case .entries(position) = walks[id]?.stage else { continue }
      walks[id]?.stage = .entries(entries[Int(position)].next)
    }
  }

  /// Moves walks past a prefix that is about to be removed; it has neither entries nor children.
  mutating func moveWalksPast(node position: Int32) {
    for (id, var walk) in walks where walk.node == position {
      moveOn(&walk)
      walks[id] = walk
    }
  }
}
