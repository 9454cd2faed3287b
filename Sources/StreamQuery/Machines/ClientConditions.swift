/// The artificial conditions under which a client works, for developer tools: a network that is away, attempts
/// that take longer, and attempts that fail.
@_spi(Adapters) public struct ClientConditions: Hashable, Sendable {
  /// A change of the conditions.
  public enum Change: Sendable {
    /// Whether the client believes that the network is away, whatever its source reports.
    case offline(Bool)
    /// How much longer each attempt of a fetch or a run takes, by the client's clock; zero or less is none.
    case delay(Duration)
    /// The next attempt to fetch this entry fails.
    case failNext(QueryInfo)
    /// The next attempt to fetch this entry does not fail because of a condition.
    case clearFailNext(QueryInfo)
  }

  /// The error of an attempt that is made to fail.
  struct Failure: Error, CustomStringConvertible {
    var description: String { "a developer tool made the attempt fail" }
  }

  /// Whether the client believes that the network is away.
  public private(set) var isOffline = false
  /// How much longer each attempt takes.
  public private(set) var delay: Duration = .zero
  private var failing: Set<EntryKey> = []
  /// The state that the client's own source has reported.
  private var isReportedOnline = true

  init() {}

  /// The state of the network in which the client believes.
  var isOnline: Bool { isReportedOnline && !isOffline }

  /// Whether no condition concerns attempts.
  var sparesAttempts: Bool { delay <= .zero && failing.isEmpty }

  /// Whether the next attempt to fetch an entry fails.
  ///
  /// - Parameter info: The entry.
  /// - Returns: Whether it fails.
  public func failsNext(_ info: QueryInfo) -> Bool { failing.contains(info.entryKey) }

  /// A developer changes the conditions.
  ///
  /// - Parameter change: The change.
  /// - Returns: The entry that is not to fail any more; it is released outside of the lock.
  mutating func apply(_ change: Change) -> EntryKey? {
    switch change {
    case .offline(let isOffline): self.isOffline = isOffline
    case .delay(let delay): self.delay = max(delay, .zero)
    case .failNext(let info): failing.insert(info.entryKey)
    case .clearFailNext(let info): return failing.remove(info.entryKey)
    }
    return nil
  }

  /// The client's own source reported a state of the network.
  mutating func reported(isOnline: Bool) { isReportedOnline = isOnline }

  /// An attempt begins.
  ///
  /// - Parameter key: The entry that it fetches; `nil` for a run of a mutation.
  /// - Returns: How much longer it takes, and the entry if it fails.
  mutating func attemptBegan(of key: EntryKey?) -> (delay: Duration, failing: EntryKey?) {
    (delay, key.flatMap { failing.remove($0) })
  }
}
