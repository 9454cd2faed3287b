extension CacheState {
  /// The entries that a filter matches; within a prefix, in the order of creation.
  func entries(matching filter: EntryFilter, at now: Instant) -> [Int] {
    if case .entry(let key) = filter { return find(key).map { [$0] } ?? [] }
    return orderedMatches(among: allCandidates(of: filter), filter, at: now)
  }

  /// The entries that a filter matches, if the search takes little time, or no longer than the work
  /// on the matches.
  ///
  /// - Returns: The entries; `nil` if the search would visit many entries that the filter may not
  ///   match.
  mutating func entriesAtHand(matching filter: EntryFilter, at now: Instant) -> [Int]? {
    guard !filter.isExact else { return entries(matching: filter, at: now) }
    var candidates = self.candidates(of: filter)
    let found = takeCandidates(&candidates)
    guard candidates.isOver else {
      forget(candidates)
      return nil
    }
    return orderedMatches(among: found, filter, at: now)
  }

  /// The candidates that a filter matches, in their order.
  private func orderedMatches(
    among candidates: [EntryCandidate],
    _ filter: EntryFilter,
    at now: Instant
  ) -> [Int] {
    var found = candidates
    if !filter.isExact { found.removeAll { !self.matches(filter, $0.index, at: now) } }
    // The order must not depend on slots, because slots depend on earlier additions and removals.
    if !zip(found, found.dropFirst()).allSatisfy({ $0.rank < $1.rank }) {
      found.sort { $0.rank < $1.rank }
    }
    var matches: [Int] = []
    matches.reserveCapacity(found.count)
    // Two parts of a filter may find the same entry, which then appears twice in a row.
    for candidate in found where matches.last != candidate.index { matches.append(candidate.index) }
    return matches
  }

  func matches(_ filter: EntryFilter, _ index: Int, at now: Instant) -> Bool {
    switch filter {
    case .all: return true
    case .entry(let key): return slots[index].key == key
    case .prefix(let key): return slots[index].key.map { key.isPrefix(of: $0.key) } ?? false
    case .stale: return slots[index].machine.isStale(at: now)
    case .active: return slots[index].machine.isActive || slots[index].machine.awaitsStore
    case .status(let status): return self.status(index) == status
    case .fetchStatus(let status): return slots[index].machine.fetchStatus == status
    case .and(let nodes): return nodes.allSatisfy { matches($0, index, at: now) }
    case .or(let nodes): return nodes.contains { matches($0, index, at: now) }
    case .not(let operand): return !matches(operand, index, at: now)
    }
  }

  private func status(_ index: Int) -> QueryStatus {
    slots[index].machine.isError ? .error : slots[index].machine.hasData ? .success : .pending
  }

  /// The info of an entry for filters, dynamic options and diagnostics.
  func info(_ index: Int, at now: Instant) -> QueryInfo? {
    guard slots[index].key != nil else { return nil }
    return slots[index].info(currentSnapshot(index), at: now)
  }
}

extension EntryFilter {
  /// The part of a filter that finds candidates without a visit to all entries; `.all` if no part does.
  var narrowing: EntryFilter {
    switch self {
    case .entry, .prefix, .active: return self
    case .fetchStatus(let status): return status == .idle ? .all : self
    case .and(let nodes):
      return nodes.map(\.narrowing).min { $0.rank < $1.rank } ?? .all
    case .or(let nodes):
      let parts = nodes.map(\.narrowing)
      return parts.allSatisfy(\.isNarrow) ? .or(parts) : .all
    case .all, .stale, .status, .not: return .all
    }
  }

  /// A measure for the number of entries that a narrowing leads to: a lower rank means fewer.
  fileprivate var rank: Int {
    switch self {
    case .entry: 0
    case .prefix(let key): 1 + (key.storage.parts.isEmpty ? 9 : 0)
    case .fetchStatus: 2
    case .active: 3
    case .or: 4
    case .all, .stale, .status, .and, .not: 5
    }
  }

  /// Whether all candidates of the filter match, because it selects by keys alone.
  fileprivate var isExact: Bool {
    switch self {
    case .entry, .prefix: true
    case .or(let nodes): nodes.allSatisfy(\.isExact)
    case .all, .stale, .active, .status, .fetchStatus, .and, .not: false
    }
  }

  /// Whether a narrowing leads to fewer than all entries.
  fileprivate var isNarrow: Bool { rank < EntryFilter.all.rank }
}
