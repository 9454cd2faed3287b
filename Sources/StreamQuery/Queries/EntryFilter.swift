/// A filter that the cache evaluates under its lock, because it calls no user code.
///
/// A ``QueryFilter`` consists of such filters and of predicates; the client evaluates predicates outside the
/// lock.
indirect enum EntryFilter: Sendable {
  case all
  case entry(EntryKey)
  case prefix(AnyQueryKey)
  case stale
  case active
  case status(QueryStatus)
  case fetchStatus(FetchStatus)
  /// Entries that match all of these filters.
  case and([EntryFilter])
  /// Entries that match any of these filters.
  case or([EntryFilter])
  case not(EntryFilter)
}

extension EntryFilter: FilterNode {
  var conjuncts: [Self]? { if case .and(let filters) = self { filters } else { nil } }
  var disjuncts: [Self]? { if case .or(let filters) = self { filters } else { nil } }

  /// Returns whether the entry that an info describes matches the filter.
  func matches(_ info: QueryInfo) -> Bool {
    switch self {
    case .all: true
    case .entry(let key): info.entryKey == key
    case .prefix(let key): key.isPrefix(of: info.key)
    case .stale: info.isStale
    case .active: info.isActive || info.awaitsStore
    case .status(let status): info.snapshot.baseStatus == status
    case .fetchStatus(let status): info.fetchStatus == status
    case .and(let filters): filters.allSatisfy { $0.matches(info) }
    case .or(let filters): filters.contains { $0.matches(info) }
    case .not(let operand): !operand.matches(info)
    }
  }
}

/// A node of a query filter or a mutation filter that can be combined with others.
///
/// Filters are also built from data, for example from a list of ids with `reduce`. A tree as deep as the list
/// is long would overflow the stack, so a node is appended to the list of nodes joined so far. A list of 64
/// nodes becomes the first element of a new list, so the depth grows by one every 63 nodes.
protocol FilterNode {
  /// Returns a node that holds if all of these do.
  static func and(_ nodes: [Self]) -> Self
  /// Returns a node that holds if any of these does.
  static func or(_ nodes: [Self]) -> Self
  /// The nodes that must all hold, if this node is a conjunction.
  var conjuncts: [Self]? { get }
  /// The nodes of which one must hold, if this node is a disjunction.
  var disjuncts: [Self]? { get }
}

extension FilterNode {
  static func and(lhs: Self, rhs: Self) -> Self {
    join(lhs, rhs, partsOf: \.conjuncts, and)
  }

  static func or(lhs: Self, rhs: Self) -> Self {
    join(lhs, rhs, partsOf: \.disjuncts, or)
  }

  private static func join(
    _ lhs: Self,
    _ rhs: Self,
    partsOf parts: (Self) -> [Self]?,
    _ make: ([Self]) -> Self
  ) -> Self {
    let (joined, added) =
      parts(lhs).map { ($0, rhs) } ?? parts(rhs).map { ($0, lhs) } ?? ([lhs], rhs)
    return make(joined.count < 64 ? joined + [added] : [make(joined), added])
  }
}
