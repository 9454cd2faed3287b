/// The entries that a filter selects by what the cache knows of them.
///
/// This is all that the cache sees of a ``QueryFilter``: the client answers for predicates.
indirect enum EntryFilter: Sendable {
  case all
  case entry(EntryKey)
  case prefix(AnyQueryKey)
  case stale
  case active
  case status(QueryStatus)
  case fetchStatus(FetchStatus)
  /// All of these.
  case and([EntryFilter])
  /// Any of these.
  case or([EntryFilter])
  case not(EntryFilter)
}

extension EntryFilter: FilterNode {
  var conjuncts: [Self]? { if case .and(let filters) = self { filters } else { nil } }
  var disjuncts: [Self]? { if case .or(let filters) = self { filters } else { nil } }

  /// Answers from an info what the cache answers from an entry.
  func matches(_ info: QueryInfo) -> Bool {
    switch self {
    case .all: true
    case .entry(let key): info.entryKey == key
    case .prefix(let key): key.isPrefix(of: info.key)
    case .stale: info.isStale
    case .active: info.isActive
    case .status(let status): info.status == status
    case .fetchStatus(let status): info.fetchStatus == status
    case .and(let filters): filters.allSatisfy { $0.matches(info) }
    case .or(let filters): filters.contains { $0.matches(info) }
    case .not(let operand): !operand.matches(info)
    }
  }
}
