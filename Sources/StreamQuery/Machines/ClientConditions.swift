/// The artificial conditions under which a client works, for developer tools: a network that is away, attempts
/// that take longer, and fetches that fail.
@_spi(Adapters) public struct ClientConditions: Hashable, Sendable {
  /// A change of the conditions.
  public enum Change: Sendable {
    /// Whether the client believes that the network is away, whatever its source reports.
    case offline(Bool)
    /// How much longer each attempt of a fetch or a run takes, by the client's clock; zero or less is none.
    case delay(Duration)
    /// The next fetch of this entry fails, with all of its attempts.
    case failNext(QueryInfo)
    /// No fetch of this entry fails because of a condition.
    case clearFailNext(QueryInfo)
    /// There are no conditions any more.
    case end
  }

  /// The error of an attempt that is made to fail.
  struct Failure: Error, CustomStringConvertible {
    var description: String { "a developer tool made the fetch fail" }
  }

  /// Whether the client believes that the network is away.
  public private(set) var isOffline = false
  /// How much longer each attempt takes.
  public private(set) var delay: Duration = .zero
  private var failing: [EntryKey: Failing] = [:]

  /// A fetch that fails.
  private enum Failing: Hashable {
    /// The next one of the entry.
    case next
    /// The one that was the next, for as long as it is tried again.
    case present(EntryID, FetchID)
  }

  init() {}

  /// The number of entries of which the next fetch fails.
  public var failingCount: Int { failing.values.count { $0 == .next } }

  /// Whether there are none.
  public var isEmpty: Bool { !isOffline && sparesAttempts }

  /// Whether no condition concerns attempts.
  var sparesAttempts: Bool { delay <= .zero && failing.isEmpty }

  /// A developer changes the conditions.
  ///
  /// - Parameter change: The change.
  /// - Returns: The former conditions, with keys that are released outside of the lock.
  mutating func apply(_ change: Change) -> Self {
    let former = self
    switch change {
    case .offline(let isOffline): self.isOffline = isOffline
    case .delay(let delay): self.delay = max(delay, .zero)
    case .failNext(let info): failing[info.entryKey] = .next
    case .clearFailNext(let info): failing[info.entryKey] = nil
    case .end: self = Self()
    }
    return former
  }

  /// An attempt is about to begin, after its delay: an attempt that was cancelled before does not use up a failure.
  ///
  /// - Parameters:
  ///   - key: The entry that it fetches.
  ///   - entry: The entry as the cache has it.
  ///   - fetch: The fetch.
  /// - Returns: Whether it fails, and the former conditions if they have changed, to be released outside of the lock.
  mutating func attemptBegins(
    of key: EntryKey,
    _ entry: EntryID,
    _ fetch: FetchID
  ) -> (fails: Bool, former: Self?) {
    let present = Failing.present(entry, fetch)
    switch failing[key] {
    case nil: return (false, nil)
    case present: return (true, nil)
    case .next:
      failing[key] = present
      return (true, nil)
    case .present:
      let former = self
      failing[key] = nil
      return (false, former)
    }
  }
}
