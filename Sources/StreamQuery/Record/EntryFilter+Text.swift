extension RecordRow.Extra {
  /// The text of the filter in a record.
  ///
  /// Making it describes keys, which runs user code.
  var recordedFilter: String {
    let text = filter?.recordedText(depth: 0) ?? ".all"
    return hasPredicate ? "\(text) && .where { … }" : text
  }

  /// The name of a trigger and, if it has a query, that query's key.
  ///
  /// Making this text runs user code.
  var recordedTrigger: String {
    guard case .entry(let key) = filter else { return name }
    return "\(name) of \(key.key)"
  }
}

extension EntryFilter {
  fileprivate func recordedText(depth: Int) -> String {
    guard depth < KeyNesting.shown else { return "…" }
    return switch self {
    case .all: ".all"
    case .entry(let key): ".key(\(key.key))"
    case .prefix(let key): ".prefix(\(key))"
    case .stale: ".stale"
    case .active: ".active"
    case .status(let status): ".status(.\(status.rawValue))"
    case .fetchStatus(let status): ".fetchStatus(.\(status.rawValue))"
    case .and(let filters): Self.joined(filters.filter { !$0.isAll }, by: " && ", depth)
    case .or(let filters): Self.joined(filters, by: " || ", depth)
    case .not(let filter): "!" + filter.recordedText(depth: depth + 1)
    }
  }

  /// Whether the filter is `.all`.
  ///
  /// A predicate leaves `.all` in its place, and its text is added to that of the whole filter.
  private var isAll: Bool { if case .all = self { true } else { false } }

  /// The texts of the first few operands.
  private static func joined(_ operands: [Self], by sign: String, _ depth: Int) -> String {
    if operands.isEmpty { return ".all" }
    if operands.count == 1 { return operands[0].recordedText(depth: depth + 1) }
    let shown = operands.prefix(8).map { $0.recordedText(depth: depth + 1) }
    return "(" + (shown + (operands.count > 8 ? ["…"] : [])).joined(separator: sign) + ")"
  }
}
