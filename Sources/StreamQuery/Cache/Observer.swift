/// An observer as stored in the cache.
///
/// It holds no elements: an observer pulls the newest snapshot that it has not seen. So memory is
/// constant, no matter how slow the observer is, and the newest snapshot wins.
struct Observer: FreeRows.Row {
  // The order of the properties leaves no gaps, because there may be many observers.

  /// The number of the observer.
  ///
  /// It is unique among all observers, until four thousand million have been made. A free row has
  /// 0.
  private(set) var generation: UInt32 = 0
  var entry: Int32 = -1
  /// The observer's position in its entry's list.
  var position: Int32 = -1
  /// Whether the query has options to evaluate.
  ///
  /// It is beside the next property, because each read of the observer needs both.
  private(set) var isDynamic = false
  private(set) var hasPlaceholder = false
  /// The flags that the observer saw last, together with ``seenVersion``.
  var seenFlags = QueryFlags()
  private(set) var query: StoredQuery?
  /// The rank of the observer in the order of arrivals at entries: a refetch takes the query of the earliest
  /// observer that is due.
  var arrival: UInt64 = 0
  var resolvedOptions = ResolvedObserverOptions()
  /// The instant when the observer started polling; `distantPast` once the entry was removed.
  var pollBase = Instant.distantPast
  /// The entry's counts of settled fetches when the observer came.
  var settledBase = SettledCounts.zero
  /// The version that the observer saw last, together with ``seenFlags``.
  var seenVersion = UInt64.max
  /// The wait of a task in `next`, or the place in a group that news is reported to; `nil` if nobody waits.
  var suspended: SuspendedObserver?
  /// The other waits, if several tasks iterate one stream.
  var alsoSuspended: [SuspendedObserver] = []

  var isLive: Bool { generation != 0 }

  static var sparesRoom: Bool { true }

  var nextFree: Int32 {
    get { position }
    set { position = newValue }
  }

  // These functions change several fields at once, because every access to a row of the cache's tables takes
  // time.

  /// Assigns the row to a new observer.
  ///
  /// - Parameters:
  ///   - query: Its query.
  ///   - generation: Its unique number.
  mutating func activate(with query: StoredQuery, _ generation: UInt32) {
    self.generation = generation
    follow(query)
  }

  /// Replaces the query of the observer.
  mutating func follow(_ query: StoredQuery) {
    self.query = query
    isDynamic = query.isDynamic
    hasPlaceholder = query.placeholder != nil
  }

  /// Takes the query out before the row is freed, so that the caller can release the query.
  mutating func releaseQuery() -> StoredQuery? { query.take() }

  /// Moves the observer to another entry.
  mutating func observe(
    at entry: Int,
    _ position: Int,
    as resolvedOptions: ResolvedObserverOptions,
    arrival: UInt64,
    at now: Instant,
    _ counts: SettledCounts
  ) {
    self.entry = Int32(truncatingIfNeeded: entry)
    self.position = Int32(truncatingIfNeeded: position)
    self.resolvedOptions = resolvedOptions
    self.arrival = arrival
    pollBase = now
    settledBase = counts
  }

  /// Records that the entry was removed.
  ///
  /// For the observer the entry is now a new one, which has fetched nothing yet.
  mutating func entryWasRemoved() {
    settledBase = .zero
    // Polling counts from the machine's last tick, which is the removal.
    pollBase = .distantPast
  }

  /// Records the state that the observer sees now.
  ///
  /// If a position in a group is given, the next news is reported to that group.
  ///
  /// - Returns: Whether the state is news.
  @inline(__always)
  mutating func saw(
    _ version: UInt64,
    _ flags: QueryFlags,
    waitingAt position: MemberPosition? = nil
  ) -> Bool {
    if let position { waits(at: position) }
    guard version != seenVersion || flags != seenFlags else { return false }
    (seenVersion, seenFlags) = (version, flags)
    return true
  }

  /// Lets the next news of the observer be reported to its group, in addition to other waits.
  @inline(__always)
  mutating func waits(at position: MemberPosition) {
    if suspended == nil {
      suspended = .member(position)
    } else if suspended?.isMember(at: position) != true,
      !alsoSuspended.contains(where: { $0.isMember(at: position) })
    {
      alsoSuspended.append(.member(position))
    }
  }
}

/// The query and options of an observer that has left.
///
/// It is an object, so that a subscription, which seldom has one, stores only a reference.
final class DetachedObserver: Sendable {
  let key: EntryKey
  let query: StoredQuery?
  let resolvedOptions: ResolvedObserverOptions
  let settledBase: SettledCounts

  init(of observer: Observer, on key: EntryKey) {
    self.key = key
    query = observer.query
    resolvedOptions = observer.resolvedOptions
    settledBase = observer.settledBase
  }

  init(_ former: DetachedObserver, asking resolvedOptions: ResolvedObserverOptions) {
    key = former.key
    query = former.query
    self.resolvedOptions = resolvedOptions
    settledBase = former.settledBase
  }
}

extension EntryEnd {
  /// The flags for an observer that left.
  func flags(for observer: DetachedObserver, at now: Instant) -> QueryFlags {
    machine.flags(for: observer.resolvedOptions, since: observer.settledBase, at: now)
  }
}

/// An observer's wait for news.
enum SuspendedObserver: Sendable {
  /// A task waits for news of this observer alone.
  case alone(SuspendedTask<Void>)
  /// No task waits for this observer alone: its news is reported to its `ObservationGroup`.
  case member(MemberPosition)

  func isMember(at position: MemberPosition) -> Bool {
    if case .member(position) = self { true } else { false }
  }
}
