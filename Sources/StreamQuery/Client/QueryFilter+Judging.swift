// What a filter leaves to the cache, and what it says itself.

extension QueryFilter {
  /// The only key that it selects, if it names one.
  package var exactKey: EntryKey? {
    if case .plain(.entry(let key)) = node { key } else { nil }
  }

  /// Whether user code must be called.
  package var hasPredicate: Bool { if case .plain = node { false } else { true } }

  /// What the cache looks for: all that the filter matches, and what only predicates exclude.
  var plainPart: EntryFilter { node.plainPart }

  /// Whether the filter matches; runs user code if there are predicates.
  package func matches(_ info: QueryInfo) -> Bool { node.matches(info) }
}

extension QueryFilter.Node {
  fileprivate var plainPart: EntryFilter {
    switch self {
    case .plain(let filter): filter
    case .and(let nodes): .and(nodes.map(\.plainPart))
    case .or(let nodes): .or(nodes.map(\.plainPart))
    // The part of an operand matches more than the operand, so its opposite matches too little.
    case .predicate, .not: .all
    }
  }

  fileprivate func matches(_ info: QueryInfo) -> Bool {
    switch self {
    case .plain(let filter): filter.matches(info)
    case .predicate(let predicate): predicate(info)
    case .and(let nodes): nodes.allSatisfy { $0.matches(info) }
    case .or(let nodes): nodes.contains { $0.matches(info) }
    case .not(let operand): !operand.matches(info)
    }
  }
}
