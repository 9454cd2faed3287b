extension KeyIndex {
  /// Calls the body with the id of every entry whose key begins with a prefix, oldest first.
  ///
  /// - Parameters:
  ///   - prefix: The prefix, see ``AnyQueryKey/isPrefix(of:)``.
  ///   - body: Called once for each entry, after the search has ended.
  /// - Complexity: O(*m* log *m*), where *m* is the number of matches. A record or array in the
  ///   prefix, which more parts than one satisfy, looks at everything at its level.
  package func forEachMatch(of prefix: AnyQueryKey, _ body: (Int32) -> Void) {
    var matches: [Int32] = []
    collect(prefix.storage, into: &matches)
    // The tree yields each prefix's entries in order; only several of them together need sorting.
    if !isInOrder(matches) {
      matches.sort { entries[Int($0)].order < entries[Int($1)].order }
    }
    for position in matches { body(entries[Int(position)].id) }
  }

  private func isInOrder(_ positions: [Int32]) -> Bool {
    var last: UInt64 = 0
    for position in positions {
      let order = entries[Int(position)].order
      guard order > last else { return false }
      last = order
    }
    return true
  }

  private func collect(_ prefix: KeyStorage, into matches: inout [Int32]) {
    let parts = prefix.parts
    guard parts.contains(where: \.matchesMoreThanItself) else {
      collectExactly(prefix, into: &matches)
      return
    }
    // The nodes whose prefixes match all parts but the last.
    var level = [KeyIndex.root]
    for part in parts.dropLast() {
      level = level.flatMap { children(of: $0, matching: part) }
    }
    guard let last = parts.last else { return }
    for node in level {
      forEachEntry(at: node) { position in
        if let part = entries[Int(position)].key?.parts.last, last.matches(part) {
          matches.append(position)
        }
      }
      for child in children(of: node, matching: last) { collectAll(below: child, into: &matches) }
    }
  }

  /// The path of a prefix that only equal parts satisfy: no enumeration at all.
  private func collectExactly(_ prefix: KeyStorage, into matches: inout [Int32]) {
    var node = KeyIndex.root
    if !prefix.parts.isEmpty {
      forEachEntry(with: prefix) { matches.append($0) }
    }
    for part in prefix.parts {
      guard let child = child(of: node, part: part) else { return }
      node = child
    }
    collectAll(below: node, into: &matches)
  }

  private func children(of node: Int32, matching part: KeyPart) -> [Int32] {
    guard part.matchesMoreThanItself else {
      return child(of: node, part: part).map { [$0] } ?? []
    }
    var found: [Int32] = []
    forEachChild(of: node) { child in
      if let own = nodes[Int(child)].part, part.matches(own) { found.append(child) }
    }
    return found
  }

  /// Walks level by level, without recursion: how deep a tree is depends on data.
  private func collectAll(below start: Int32, into matches: inout [Int32]) {
    var pending = [start]
    var index = 0
    while index < pending.count {
      let node = pending[index]
      forEachEntry(at: node) { matches.append($0) }
      forEachChild(of: node) { pending.append($0) }
      index += 1
    }
  }

  private func forEachEntry(at node: Int32, _ body: (Int32) -> Void) {
    var position = nodes[Int(node)].firstEntry
    while position != KeyIndex.none {
      body(position)
      position = entries[Int(position)].next
    }
  }

  private func forEachChild(of node: Int32, _ body: (Int32) -> Void) {
    var position = nodes[Int(node)].firstChild
    while position != KeyIndex.none {
      body(position)
      position = nodes[Int(position)].nextSibling
    }
  }
}
