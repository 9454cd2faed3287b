/// The state of an entry, in a few machine words.
struct RecordedState: Equatable, Sendable {
  /// The bits of ``bits``; those below 16 are the ones of the format, see `QueryRecord+Coding.swift`.
  enum Bit {
    static let data: UInt32 = 1 << 4
    static let invalidated: UInt32 = 1 << 5
    static let placeholder: UInt32 = 1 << 6
    static let layered: UInt32 = 1 << 7
    static let active: UInt32 = 1 << 8
    static let endless: UInt32 = 1 << 9
    /// The bits that are flags of an entry, all of them.
    static let flags = data | invalidated | placeholder | layered | active | endless
    static let cause: UInt32 = 12
    /// The entry is in the cache.
    static let present: UInt32 = 1 << 16
  }

  var bits: UInt32 = 0
  /// The number of the options; 0 is none.
  var options: UInt32 = 0
  /// The time of the data, in nanoseconds.
  var updatedAt: Int64 = 0
  var observerCount: UInt32 = 0
  var waiterCount: UInt32 = 0
  var dataUpdateCount: UInt32 = 0
  var failureCount: UInt32 = 0

  /// Whether the entry is in the cache.
  var isPresent: Bool {
    @inline(__always) get { bits & Bit.present != 0 }
  }
}

extension EntryMachine {
  /// The state for a record, without what the machine does not know, such as layers and the number of the
  /// options.
  @inline(__always)
  var recordedState: RecordedState {
    var state = RecordedState()
    var bits = RecordedState.Bit.present
    if hasData {
      bits |= RecordedState.Bit.data
      state.updatedAt = dataUpdatedAt.instant.nanoseconds
    }
    if isError { bits |= 2 } else if hasData { bits |= 1 }
    if !isIdle { bits |= isPaused ? 2 << 2 : 1 << 2 }
    if isInvalidated { bits |= RecordedState.Bit.invalidated }
    if isActive { bits |= RecordedState.Bit.active }
    if fetchOptions.delivery == .endless { bits |= RecordedState.Bit.endless }
    if let cause { bits |= cause.recordedCode << RecordedState.Bit.cause }
    state.bits = bits
    state.observerCount = UInt32(truncatingIfNeeded: observerCount)
    state.waiterCount = UInt32(truncatingIfNeeded: waiterCount)
    state.dataUpdateCount = UInt32(truncatingIfNeeded: dataUpdateCount)
    state.failureCount = UInt32(truncatingIfNeeded: failureCount)
    return state
  }
}

extension FetchCause {
  /// The number of the cause in a record; 0 is none.
  @inline(__always)
  var recordedCode: UInt32 {
    switch self {
    case .subscribed: 1
    case .invalidated: 2
    case .interval: 3
    case .active: 4
    case .reconnect: 5
    case .manual: 6
    case .reset: 7
    case .trigger: 8
    }
  }

  /// The cause of a number; `nil` for 0, and for a number of a later version.
  init?(recordedCode code: Int) {
    guard
      let cause = Self.allCases.first(where: { Int(truncatingIfNeeded: $0.recordedCode) == code })
    else {
      return nil
    }
    self = cause
  }
}
