internal import StreamQuery

/// The sign of a key's state; a symbol, a colour and a word show it, so that no difference depends on colour
/// alone.
enum KeySign: String, Hashable, Sendable, CaseIterable {
  case fetching
  case paused
  case failed
  case optimistic
  case empty
  /// The key has data, and the record does not say whether the data is stale.
  case unknown = "has data"
  case stale
  case fresh

  /// Creates the sign of a key; if several apply, it is the most urgent one.
  init(_ row: RecordReplay.KeyRow) {
    self =
      switch row.state.fetchStatus {
      case .fetching: .fetching
      case .paused: .paused
      case .idle where row.state.status == .error: .failed
      case .idle where row.state.isLayered: .optimistic
      case .idle where !row.state.hasData: .empty
      case .idle where row.isKnownStale: .stale
      case .idle: row.freshness == nil ? .unknown : .fresh
      }
  }

  /// A colour of the system.
  enum Tint: Hashable, Sendable { case blue, purple, red, orange, green, gray }

  /// The name of the sign's symbol in SF Symbols.
  var symbol: String {
    switch self {
    case .fetching: "arrow.triangle.2.circlepath"
    case .paused: "pause.circle"
    case .failed: "exclamationmark.triangle"
    case .optimistic: "wand.and.stars"
    case .empty: "circle.dashed"
    case .unknown: "questionmark.circle"
    case .stale: "clock"
    case .fresh: "checkmark.circle"
    }
  }

  var tint: Tint {
    switch self {
    case .fetching: .blue
    case .paused: .purple
    case .failed: .red
    case .optimistic: .purple
    case .empty, .unknown: .gray
    case .stale: .orange
    case .fresh: .green
    }
  }
}

extension RecordReplay.KeyRow {
  /// The value type and the facts about the key, in a line: keys of different types may have the same text.
  var typedFacts: String { "\(key.valueType) · \(facts)" }

  /// The facts about the key, in a line.
  var facts: String {
    let sign = KeySign(self)
    var facts = [sign.rawValue]
    if sign == .unknown {
      facts.append(
        staleTime == .dynamic
          ? "a function decides whether it is stale" : "its stale time is not in the record"
      )
    }
    if state.observerCount > 0 { facts.append(state.observerCount.counted("observer")) }
    if state.waiterCount > 0 { facts.append("\(state.waiterCount) waiting") }
    if let age { facts.append("\(age.spanText) old") }
    if state.isInvalidated { facts.append("invalidated") }
    if state.dataUpdateCount > 0 { facts.append(state.dataUpdateCount.counted("update")) }
    if state.failureCount > 0 { facts.append("\(state.failureCount) failed") }
    if let cause = state.cause { facts.append("fetched: \(cause.rawValue)") }
    return facts.joined(separator: " · ")
  }
}

extension RecordReplay.RunRow {
  /// The facts about the run, in a line.
  var facts: String {
    var facts = ["\(status)"]
    if let scope = run.scope { facts.append("scope \(scope)") }
    if failureCount > 0 { facts.append("\(failureCount) failed") }
    if let error { facts.append(error) }
    if !layers.isEmpty { facts.append("changes \(layers.count.counted("key"))") }
    return facts.joined(separator: " · ")
  }
}

extension RecordReplay.Totals {
  /// The numbers of entries and the state of the client, in a line.
  var facts: String {
    var facts = [entries.counted("key"), "\(fetching) fetching", "\(observed) observed"]
    if paused > 0 { facts.append("\(paused) paused") }
    if failed > 0 { facts.append("\(failed) failed") }
    if !isOnline { facts.append("offline") }
    if !isActive { facts.append("inactive") }
    if lost > 0 { facts.append("\(lost.counted("event")) lost") }
    return facts.joined(separator: " · ")
  }
}
