/// The artificial conditions under which a client works, for developer tools: a network that is down,
/// attempts that take longer, and fetches that fail.
@_spi(Adapters) public struct ClientConditions: Hashable, Sendable {
  /// A change of the conditions.
  public enum Change: Sendable {
    /// Makes the client treat the network as down (`true`), or believe its network source again (`false`).
    case offline(Bool)
    /// Delays each attempt of a fetch or a run by this time of the client's clock; zero or less is no delay.
    case delay(Duration)
    /// Makes all attempts of the next fetch of this entry fail.
    ///
    /// A fetch in flight is the next one if its first attempt has not begun, because it waits for the network
    /// or for its turn.
    case failNext(QueryInfo)
    /// Takes back ``failNext(_:)`` for this entry.
    case clearFailNext(QueryInfo)
    /// Ends all conditions.
    case end
  }

  /// The error of an attempt that fails because of ``Change/failNext(_:)``.
  struct Failure: Error, CustomStringConvertible {
    var description: String { "a developer tool made the fetch fail" }
  }

  /// Whether the client treats the network as down, whatever its source reports.
  public private(set) var isOffline = false
  /// How much longer each attempt takes.
  public private(set) var delay: Duration = .zero
  private var failing: [EntryKey: Failing] = [:]

  /// A fetch of an entry.
  struct Fetch: Hashable {
    let entry: EntryID
    let id: FetchID
  }

  /// The fetch of an entry that is made to fail.
  private enum Failing: Hashable {
    /// The next fetch of the entry fails. `besides` is the fetch that was running when this was requested; if
    /// an earlier request made that one fail, `whichFails` is set, and its remaining attempts fail too.
    case next(besides: Fetch?, whichFails: Bool)
    /// This fetch has begun, and all its attempts fail.
    case present(Fetch)
  }

  init() {}

  /// The number of entries of which the next fetch fails.
  public var failingCount: Int {
    failing.values.count { if case .next = $0 { true } else { false } }
  }

  /// Whether no conditions apply.
  public var isEmpty: Bool { !isOffline && sparesAttempts }

  /// Whether attempts are neither delayed nor made to fail.
  var sparesAttempts: Bool { delay <= .zero && failing.isEmpty }

  /// Changes the conditions.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - begun: The fetch of the change's entry whose first attempt has begun; `nil` if there is none.
  /// - Returns: The former conditions; they hold keys of users, so release them outside of the lock.
  mutating func apply(_ change: Change, besides begun: Fetch? = nil) -> Self {
    let former = self
    switch change {
    case .offline(let isOffline): self.isOffline = isOffline
    case .delay(let delay): self.delay = max(delay, .zero)
    case .failNext(let info):
      let fails = begun.map { isFailing($0, of: info.entryKey) } ?? false
      failing[info.entryKey] = .next(besides: begun, whichFails: fails)
    case .clearFailNext(let info): failing[info.entryKey] = nil
    case .end: self = Self()
    }
    return former
  }

  /// Whether the further attempts of a fetch that has begun fail.
  private func isFailing(_ fetch: Fetch, of key: EntryKey) -> Bool {
    switch failing[key] {
    case nil: false
    case .next(let begun, let fails)?: begun == fetch && fails
    case .present(let present)?: present == fetch
    }
  }

  /// Decides whether an attempt fails; called after the attempt's delay, so that a cancelled attempt uses up
  /// no failure.
  ///
  /// - Parameters:
  ///   - key: The key of the entry.
  ///   - entry: The identity of the entry in the cache.
  ///   - fetch: The fetch.
  /// - Returns: Whether the attempt fails, and the former conditions if they changed, to release outside of
  ///   the lock.
  mutating func attemptBegins(
    of key: EntryKey,
    _ entry: EntryID,
    _ fetch: FetchID
  ) -> (fails: Bool, former: Self?) {
    let fetch = Fetch(entry: entry, id: fetch)
    switch failing[key] {
    case nil: return (false, nil)
    case .next(let begun, let fails)?:
      guard begun != fetch else { return (fails, nil) }
      failing[key] = .present(fetch)
      return (true, nil)
    case .present(let present)?:
      guard present != fetch else { return (true, nil) }
      let former = self
      failing[key] = nil
      return (false, former)
    }
  }

  /// The fetches that have begun, and whose attempts fail.
  var failingFetches: [Fetch] {
    failing.values.compactMap { if case .present(let fetch) = $0 { fetch } else { nil } }
  }

  /// Forgets fetches that were made to fail, because they are over.
  ///
  /// - Parameter fetches: The fetches.
  /// - Returns: The former conditions, to release outside of the lock.
  mutating func ended(_ fetches: Set<Fetch>) -> Self {
    let former = self
    failing = failing.filter { _, failing in
      if case .present(let fetch) = failing { !fetches.contains(fetch) } else { true }
    }
    return former
  }
}
