/// An entry that a filter may match.
struct EntryCandidate {
  var index: Int
  /// The rank of the entry in the order of the results.
  var rank: UInt64
}

extension CacheState {
  /// The parts of the cache to search for the matches of a filter.
  func candidates(of filter: EntryFilter) -> EntryCandidates {
    let narrowing = filter.narrowing
    let sources = sources(of: narrowing)
    if case .prefix = narrowing { return EntryCandidates(sources: sources, isByMaking: true) }
    return EntryCandidates(sources: sources, isByMaking: false)
  }

  private func sources(of narrowing: EntryFilter) -> [EntryCandidates.Source] {
    switch narrowing {
    case .entry(let key):
      return find(key).map { [.list([Int32(truncatingIfNeeded: $0)], next: 0)] } ?? []
    case .prefix(let key): return [.prefix(KeyIndex.Walk(of: key))]
    case .fetchStatus, .active: return [.list(slots.live, next: 0)]
    case .or(let nodes): return nodes.flatMap { sources(of: $0) }
    case .all, .stale, .status, .and, .not: return [.slots(0..<slots.count)]
    }
  }

  /// Takes the next candidates, from at most ``CacheBounds/lookLimit`` entries.
  mutating func takeCandidates(_ candidates: inout EntryCandidates) -> [EntryCandidate] {
    var found: [EntryCandidate] = []
    var left = bounds.lookLimit
    while left > 0, var source = candidates.sources.popLast() {
      if case .resting(let id) = source {
        guard let walk = slots.keys.walks.removeValue(forKey: id) else { continue }
        source = .prefix(walk)
      }
      switch visit(source, &left, isByMaking: candidates.isByMaking, into: &found) {
      case .prefix(let walk):
        extensions.searchSerial += 1
        slots.keys.walks[extensions.searchSerial] = walk
        candidates.sources.append(.resting(extensions.searchSerial))
      case let rest?: candidates.sources.append(rest)
      case nil: break
      }
    }
    noteLook(bounds.lookLimit - left)
    return found
  }

  /// All candidates, no matter how many: for filters that match most of them.
  func allCandidates(of filter: EntryFilter) -> [EntryCandidate] {
    let candidates = self.candidates(of: filter)
    var (found, left) = ([EntryCandidate](), Int.max)
    for source in candidates.sources {
      _ = visit(source, &left, isByMaking: candidates.isByMaking, into: &found)
    }
    return found
  }

  /// Visits the entries of a source.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - left: The number of entries that may still be visited; reduced by this call.
  ///   - isByMaking: Whether the rank of an entry is that of its creation.
  ///   - found: The entries so far.
  /// - Returns: The rest of the source; `nil` if that was all.
  private func visit(
    _ source: EntryCandidates.Source,
    _ left: inout Int,
    isByMaking: Bool,
    into found: inout [EntryCandidate]
  ) -> EntryCandidates.Source? {
    switch source {
    case .slots(let range):
      let middle = range.lowerBound + min(left, range.count)
      // An entry that moves to another slot between two visits is in the log of changes, and is
      // visited again.
      for index in range.lowerBound..<middle where index < slots.count && slots[index].key != nil {
        found.append(EntryCandidate(index: index, rank: UInt64(index)))
      }
      left -= middle - range.lowerBound
      return middle < range.upperBound ? .slots(middle..<range.upperBound) : nil
    case .list(let list, let start):
      let end = start + min(left, list.count - start)
      for index in list[start..<end].lazy.map(Int.init)
      where index < slots.count && slots[index].key != nil {
        found.append(EntryCandidate(index: index, rank: UInt64(index)))
      }
      left -= end - start
      return end < list.count ? .list(list, next: end) : nil
    case .prefix(var walk):
      left -= slots.keys.advance(&walk, limit: left) { position in
        let entry = slots.keys.entries[Int(position)]
        let rank = isByMaking ? entry.order : UInt64(entry.id)
        found.append(EntryCandidate(index: Int(entry.id), rank: rank))
      }
      return walk.isOver ? nil : .prefix(walk)
    case .resting: return nil
    }
  }

  /// Frees the paused walks of a search that does not go on.
  mutating func forget(_ candidates: EntryCandidates) {
    for case .resting(let id) in candidates.sources { slots.keys.walks[id] = nil }
  }

  /// The rank of an entry among the matches of a filter: within a prefix, in the order of creation.
  mutating func rank(_ index: Int, in filter: EntryFilter) -> UInt64 {
    guard case .prefix = filter.narrowing, let key = slots[index].key else { return UInt64(index) }
    return slots.keys.creationOrder(of: key.storage, id: Int32(truncatingIfNeeded: index))
  }

  /// Updates ``CacheBounds/longestLook`` after a visit of entries that did not release the lock.
  mutating func noteLook(_ count: Int) {
    bounds.longestLook = max(bounds.longestLook, count)
  }
}

/// The entries that a search has yet to visit: all matches of the filter, and as few others as keys and
/// prefixes allow.
struct EntryCandidates: Sendable {
  /// A part of the cache, with the entries in it that are not visited yet.
  enum Source: Sendable {
    /// All entries in these slots.
    case slots(Range<Int>)
    case list([Int32], next: Int)
    /// The entries below a prefix.
    case prefix(KeyIndex.Walk)
    /// The number of a walk through the entries below a prefix, while the lock is released and
    /// other code may change the index.
    case resting(Int)
  }

  var sources: [Source]
  /// Whether the results are in the order of creation; otherwise they are in the order of slots.
  let isByMaking: Bool

  var isOver: Bool { sources.isEmpty }
}
