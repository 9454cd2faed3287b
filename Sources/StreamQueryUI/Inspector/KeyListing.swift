internal import StreamQuery

/// The filter and the order of a list of keys.
struct KeyListing: Hashable, Sendable {
  /// Only keys that contain this text, or whose value type does, are listed; an empty text lists all keys.
  ///
  /// The case of ASCII letters does not matter.
  var text = ""
  var state = State.all
  var order = Order.key
  /// Whether the order is reversed.
  var isReversed = false
  /// Whether keys with the same first part are grouped.
  var isGrouped = false
  /// The titles of the groups that are collapsed.
  var collapsed: Set<String> = []

  /// A state by which entries are filtered.
  enum State: String, Hashable, Sendable, CaseIterable, Identifiable {
    case all
    case pending
    case success
    case error
    case fetching
    case paused
    case invalidated
    case optimistic
    case observed
    case unobserved

    var id: Self { self }

    func matches(_ state: QueryRecord.State) -> Bool {
      switch self {
      case .all: true
      case .pending: state.status == .pending
      case .success: state.status == .success
      case .error: state.status == .error
      case .fetching: state.fetchStatus == .fetching
      case .paused: state.fetchStatus == .paused
      case .invalidated: state.isInvalidated
      case .optimistic: state.isLayered
      case .observed: state.observerCount > 0
      case .unobserved: state.observerCount == 0
      }
    }
  }

  /// A property by which keys are sorted.
  enum Order: String, Hashable, Sendable, CaseIterable, Identifiable {
    /// The text of the key.
    case key
    /// The age of the data, the newest data first; keys without data come last.
    case age
    /// The time at which the data becomes stale, the earliest first. Then comes data that never becomes
    /// stale, data with an unknown stale time, and keys without data.
    case freshness
    /// The number of observers, the highest number first.
    case observers
    /// The number of updates, the highest number first.
    case updates
    /// The number of the newest event, the latest event first.
    case lastEvent

    var id: Self { self }
    var label: String { self == .lastEvent ? "last event" : rawValue }

    /// Returns the rank of a key in this order; a lower rank comes first.
    ///
    /// The present time is not needed, not even for age and freshness, because all data grows older at the
    /// same pace.
    func rank(_ row: RecordReplay.KeyRow) -> Int64 {
      switch self {
      case .key: 0
      case .age: row.age == nil ? .max : row.state.updatedAt.map { -$0.wholeMicroseconds } ?? .max
      case .freshness: row.staleAt
      case .observers: -Int64(clamping: row.state.observerCount)
      case .updates: -Int64(clamping: row.state.dataUpdateCount)
      case .lastEvent: -Int64(clamping: row.last?.number ?? 0)
      }
    }
  }
}

extension RecordReplay.KeyRow {
  /// The microsecond at which the data becomes stale; a larger number if it never becomes stale, if its stale
  /// time is not known, or if there is no data.
  fileprivate var staleAt: Int64 {
    guard age != nil, let updatedAt = state.updatedAt else { return .max }
    switch staleTime {
    case .static: return .max - 2
    case _ where state.isInvalidated: return .min
    case .never: return .max - 2
    case .dynamic, nil: return .max - 1
    case .after(let span): return min((updatedAt + max(.zero, span)).wholeMicroseconds, .max - 3)
    }
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if isTooLarge { return seconds < 0 ? .min + 1 : .max - 1 }
    return max(
      .min + 1,
      product.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
    )
  }
}

extension QueryRecord.Part {
  /// The text of the part, as the title of a group.
  var title: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .number(let value): "\(value)"
    case .text(let text): text
    case .list(let parts): "[\(parts.map(\.title).joined(separator: ", "))]"
    case .fields(let fields):
      "{\(fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.title)" }.joined(separator: ", "))}"
    }
  }
}

extension String {
  /// Returns whether the text contains another one, without regard to the case of ASCII letters.
  func containsIgnoringCase(_ other: String) -> Bool {
    let needle = other.utf8.map(\.lowercased)
    guard let first = needle.first else { return true }
    var text = self
    return text.withUTF8 { bytes in
      guard bytes.count >= needle.count else { return false }
      for start in 0...(bytes.count - needle.count) where bytes[start].lowercased == first {
        if needle.indices.allSatisfy({ bytes[start + $0].lowercased == needle[$0] }) { return true }
      }
      return false
    }
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 { (65...90).contains(self) ? self | 32 : self }
}
