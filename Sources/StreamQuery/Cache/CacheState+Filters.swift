extension CacheState {
  /// The entries that a filter without predicates means, in the order of their making within a
  /// prefix.
  func entries(matching filter: QueryFilter.Node, at now: Moment) -> [Int] {
    var matches: [Int] = []
    if case .or = filter {
      var rest: [QueryFilter.Node] = []
      collect(filter, at: now, into: &matches, rest: &rest)
      if !rest.isEmpty { matches += entries(matchingAny: rest, at: now) }
      return Set(matches).sorted()
    }
    forEachCandidate(of: filter) { index in
      if self.matches(filter, index, at: now) { matches.append(index) }
    }
    return matches
  }

  /// Collects what each alternative means by itself, as far as it leads to its entries: a thousand
  /// keys are a thousand look-ups, not a look at every entry for each.
  private func collect(
    _ filter: QueryFilter.Node,
    at now: Moment,
    into matches: inout [Int],
    rest: inout [QueryFilter.Node]
  ) {
    if case .or(let nodes) = filter {
      for node in nodes { collect(node, at: now, into: &matches, rest: &rest) }
    } else if case .all = narrowing(of: filter) {
      rest.append(filter)
    } else {
      matches += entries(matching: filter, at: now)
    }
  }

  private func entries(matchingAny filters: [QueryFilter.Node], at now: Moment) -> [Int] {
    slots.indices.filter { index in
      slots[index].key != nil && filters.contains { matches($0, index, at: now) }
    }
  }

  /// Visits a superset of the entries that a filter means: as small as keys and prefixes allow.
  func forEachCandidate(of filter: QueryFilter.Node, _ body: (Int) -> Void) {
    switch narrowing(of: filter) {
    case .entry(let key):
      if let index = find(key) { body(index) }
    case .prefix(let key):
      index.forEachMatch(of: key) { body(Int($0)) }
    case .fetchStatus, .active:
      // In the order of the slots, so that no order depends on who came and went.
      for index in live.sorted() { body(Int(index)) }
    default:
      for index in slots.indices where slots[index].key != nil { body(index) }
    }
  }

  /// The part of a filter that leads to its entries without a look at all of them.
  private func narrowing(of filter: QueryFilter.Node) -> QueryFilter.Node {
    switch filter {
    case .entry, .prefix, .active: return filter
    case .fetchStatus(let status): return status == .idle ? .all : filter
    case .and(let nodes):
      var narrowest = QueryFilter.Node.all
      for node in nodes {
        let narrowing = narrowing(of: node)
        if narrowing.rank < narrowest.rank { narrowest = narrowing }
      }
      return narrowest
    case .all, .stale, .status, .predicate, .or, .not: return .all
    }
  }

  private func matches(_ filter: QueryFilter.Node, _ index: Int, at now: Moment) -> Bool {
    switch filter {
    case .all: return true
    case .entry(let key): return slots[index].key == key
    case .prefix(let key): return slots[index].key.map { key.isPrefix(of: $0.key) } ?? false
    case .stale: return slots[index].machine.isStale(unobserved: freshness(index), at: now)
    case .active: return slots[index].machine.isActive
    case .status(let status): return self.status(index) == status
    case .fetchStatus(let status):
      return status
        == (slots[index].machine.isPaused
          ? .paused : slots[index].machine.isFetching ? .fetching : .idle)
    // Filters with predicates are answered from infos, outside the lock.
    case .predicate: return false
    case .and(let nodes): return nodes.allSatisfy { matches($0, index, at: now) }
    case .or(let nodes): return nodes.contains { matches($0, index, at: now) }
    case .not(let operand): return !matches(operand, index, at: now)
    }
  }

  private func status(_ index: Int) -> QueryStatus {
    slots[index].machine.isError ? .error : slots[index].machine.hasData ? .success : .pending
  }

  /// The stale time that holds without observers.
  private func freshness(_ index: Int) -> Freshness {
    slots[index].plan?.unobservedFreshness ?? .after(.zero)
  }

  /// What filters, dynamic options and diagnostics see of an entry.
  mutating func info(_ index: Int, at now: Moment) -> QueryInfo? {
    let slot = slots[index]
    guard let key = slot.key else { return nil }
    let machine = slot.machine
    return QueryInfo(
      key: key.key,
      observerCount: machine.observerCount,
      waiterCount: machine.waiterCount,
      isActive: machine.isActive,
      isDisabled: machine.isDisabled,
      isStatic: machine.isStatic,
      isStale: machine.isStale(unobserved: freshness(index), at: now),
      meta: slot.plan?.options.meta ?? QueryMeta(),
      age: machine.hasData
        ? .nanoseconds(max(0, now.nanoseconds - machine.dataUpdatedAt.moment.nanoseconds)) : nil,
      entryKey: key,
      frame: frame(index)
    )
  }
}

extension QueryFilter.Node {
  /// Whether user code has to be asked.
  var hasPredicate: Bool {
    switch self {
    case .predicate: true
    case .and(let nodes), .or(let nodes): nodes.contains { $0.hasPredicate }
    case .not(let operand): operand.hasPredicate
    case .all, .entry, .prefix, .stale, .active, .status, .fetchStatus: false
    }
  }

  /// How few entries a narrowing leads to: less is fewer.
  fileprivate var rank: Int {
    switch self {
    case .entry: 0
    case .prefix(let key): 1 + (key.storage.parts.isEmpty ? 9 : 0)
    case .fetchStatus: 2
    case .active: 3
    case .all, .stale, .status, .predicate, .and, .or, .not: 5
    }
  }

  /// Answers from an info, predicates included; runs user code.
  func matches(_ info: QueryInfo) -> Bool {
    switch self {
    case .all: true
    case .entry(let key): info.entryKey == key
    case .prefix(let key): key.isPrefix(of: info.key)
    case .stale: info.isStale
    case .active: info.isActive
    case .status(let status): info.status == status
    case .fetchStatus(let status): info.fetchStatus == status
    case .predicate(let predicate): predicate(info)
    case .and(let nodes): nodes.allSatisfy { $0.matches(info) }
    case .or(let nodes): nodes.contains { $0.matches(info) }
    case .not(let operand): !operand.matches(info)
    }
  }
}
