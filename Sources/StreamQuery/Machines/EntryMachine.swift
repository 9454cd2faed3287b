/// Decides everything about one cached key: its fetches, its status, and its end.
///
/// The machine is pure: it never awaits, reads a clock, or holds a value, a task or a closure. Inputs are
/// facts with the time as a parameter; outputs are ``EntryActions``. Values and errors are stored next to the
/// machine.
///
/// | input \ fetch | none | running | waiting | paused |
/// |---|---|---|---|---|
/// | `requested` | begin | join, or supersede if there is data, at most three times in a row | same | same |
/// | `requested(joining: .none)` | begin | supersede | same | same |
/// | `invalidated` | mark | mark, which outlives the answer | mark | mark |
/// | `attemptSucceeded` | – | store the answer; end or one more fetch | – | – |
/// | `attemptProgressed` | – | store the part and go on; for callers of an endless stream, end | – | – |
/// | `attemptKept` | – | keep the data; end or one more fetch | – | – |
/// | `attemptFoundNothing` | – | undo; end or one more fetch | – | – |
/// | `attemptFailed` | – | wait, or fail; end | – | – |
/// | `timeReached` | poll, go stale, expire | linger over: cancel | next attempt, pause, fail | linger over: cancel |
/// | `environmentChanged` | refetch for observers that ask | – | – | next attempt |
/// | last interest lost | retention begins | cancel, finish or linger | same | same |
/// | `deferred` | – | wait for an import, once, before the first answer | – | – |
/// | `cancelRequested` | – | undo; end | same | same |
/// | `written(fencing:)` | store | store; fencing ends it | same | same |
/// | `cleared` | empty | empty; end | same | same |
///
/// The columns are the stages of the fetch in flight: see ``InFlight/Stage``. A dash is a no-op.
/// Late answers of old fetches (see ``FetchID``) are no-ops everywhere.
package struct EntryMachine: Equatable, Sendable {
  /// How many fetches in a row may be replaced before one has answered; the next fetch is not replaced.
  ///
  /// Without a limit, an entry that is invalidated faster than it is fetched would never show an
  /// answer.
  package static var supersessionLimit: UInt8 { 3 }

  /// The fetch in flight; most entries have none, and need no room for one.
  private var inFlight = Rare<InFlight>()
  /// Whether the data is, or may be, out of date, and why.
  var mark: Mark
  /// The extent of the data: whole, or a part of an answer.
  var extent = Extent.nothing
  package internal(set) var isError = false
  /// Whether the entry is kept even if nobody wants it, because layers of mutations lie over its data.
  package internal(set) var isPinned = false
  package internal(set) var cause: FetchCause?
  /// The part that the running fetch fetches, or that the last fetch has fetched.
  package internal(set) var part = FetchPart.whole
  package internal(set) var dataUpdatedAt = Timestamp.never
  package internal(set) var errorUpdatedAt = Timestamp.never
  @SmallCount package internal(set) var dataUpdateCount = 0
  @SmallCount package internal(set) var errorUpdateCount = 0
  @SmallCount package internal(set) var failureCount = 0
  /// The number of polls that have failed in a row since data last arrived.
  @SmallCount package internal(set) var pollFailureCount = 0

  /// Observers by resolved options; most entries have none or one group.
  var groups: [ObserverGroup] = []
  @SmallCount package internal(set) var observerCount = 0
  @SmallCount package internal(set) var enabledCount = 0
  /// The number of callers that wait for the fetch in flight: of `fetch`, `ensure` and `prefetch`.
  @SmallCount package internal(set) var waiterCount = 0

  /// The options of the next fetch.
  var fetchOptions = FetchOptions()
  var fetchSerial: UInt32 = 0
  /// The time from which the next tick of polling counts, such as the last start, failure or end of a fetch.
  var lastTick = Instant.distantPast
  /// Ticks of polling up to this time have been handled; later ones are still to come.
  var polledUntil = Instant.distantPast
  /// The longest retention that was requested.
  package internal(set) var gcTime = TimeSpan.zero
  private var packedLeaverGCTime = TimeSpan.Packed(nil)
  /// The time since which nobody wants the entry.
  var unwantedSince = Instant.distantPast

  /// Creates the machine of an entry that nobody wants yet.
  ///
  /// - Parameter now: The time of the transaction.
  package init(at now: Instant) {
    mark = .none(toldUntil: now)
    begin(at: now)
  }

  /// Sets the time of the machine's creation, before any other input.
  mutating func begin(at now: Instant) {
    unwantedSince = now
  }

  /// The retention of the observer that left last; `nil` if this observer had none of its own.
  var leaverGcTime: TimeSpan? {
    get { packedLeaverGCTime.value }
    set { packedLeaverGCTime = TimeSpan.Packed(newValue) }
  }

  /// Whether there is data, whole or not.
  package internal(set) var hasData: Bool {
    @inline(__always) get { extent != .nothing && extent != .removed }
    @inline(__always) set { extent = newValue ? .whole : .nothing }
  }

  /// Whether the entry was removed, and since then no data arrived and no fetch was requested.
  package var isRemoved: Bool { extent == .removed }

  /// How often data arrived, and how often a fetch failed.
  package var counts: SettledCounts {
    @inline(__always) get { SettledCounts(data: dataUpdateCount, errors: errorUpdateCount) }
  }

  /// The fetch in flight.
  ///
  /// Each read copies the fetch. Code that runs for all entries tests ``isIdle`` first, because most have no
  /// fetch.
  package internal(set) var fetch: InFlight? {
    @inline(__always) get { inFlight.copy }
    set { inFlight.copy = newValue }
  }

  /// The stage of the fetch in flight; `nil` if there is none.
  package var stage: InFlight.Stage? {
    @inline(__always) get { inFlight.isEmpty ? nil : inFlight.value.stage }
  }

  /// The number of the fetch in flight; `nil` if there is none.
  package var fetchID: FetchID? {
    @inline(__always) get { inFlight.isEmpty ? nil : inFlight.value.id }
  }

  /// The time when the fetch in flight is cancelled unless somebody wants it before.
  var lingersUntil: Instant? {
    @inline(__always) get { inFlight.isEmpty ? nil : inFlight.value.lingersUntil }
  }

  /// How long the observer that left last lets the fetch in flight go on; `nil` if an observer came since.
  var lingerPromise: InFlight.LingerPromise? {
    @inline(__always) get { inFlight.isEmpty ? nil : inFlight.value.lingerPromise }
    set { if !inFlight.isEmpty { inFlight.value.lingerPromise = newValue } }
  }

  /// Whether anybody wants the entry or a fetch of it.
  var isWanted: Bool {
    observerCount > 0 || waiterCount > 0
  }

  /// Whether a fetch is running or waiting for its next attempt.
  package var isFetching: Bool {
    @inline(__always) get { !isIdle && !isPaused }
  }

  /// Whether a fetch is paused until the network or the app is back.
  package var isPaused: Bool {
    @inline(__always) get { if case .paused = stage { true } else { false } }
  }

  /// Whether no fetch is in flight.
  package var isIdle: Bool {
    @inline(__always) get { inFlight.isEmpty }
  }

  /// Whether another fetch was requested, to follow the one in flight if that succeeds and somebody wants it.
  var isFollowed: Bool {
    @inline(__always) get { !inFlight.isEmpty && inFlight.value.successor != nil }
  }

  /// Whether a page is fetched only by the fetch that follows the one in flight.
  func isPut(off part: FetchPart) -> Bool {
    part != .whole && isFollowed && fetch?.successorPart == part && fetch?.part != part
  }

  /// Whether the data stays invalidated after the fetch in flight has succeeded: the answer began before
  /// the last invalidation, or is added to data from before that invalidation.
  var staysMarked: Bool {
    @inline(__always) get {
      guard !inFlight.isEmpty else { return isKnownToHaveChanged }
      return inFlight.value.predatesMark
        || inFlight.value.part != .whole && hasData
          && (isKnownToHaveChanged || inFlight.value.baseWasMarked)
    }
  }

  /// Whether there is an enabled observer.
  package var isActive: Bool { enabledCount > 0 }

  /// Whether an observer waits for a store; it may be enabled as soon as the store has been read.
  var awaitsStore: Bool {
    @inline(__always) get {
      groups.contains { $0.resolvedOptions.participation == .restoring }
    }
  }

  /// Whether a request for newer data replaces the fetch in flight instead of joining it.
  var isReplaceable: Bool { hasData && isWithinLimit }

  /// Whether the running attempt has shown a part of its answer.
  var hasDelivered: Bool {
    @inline(__always) get {
      !inFlight.isEmpty && inFlight.value.attempt.deliveringSince != nil
    }
  }

  /// Whether fewer fetches in a row were replaced than ``supersessionLimit``.
  var isWithinLimit: Bool { (fetch?.supersessions ?? 0) < Self.supersessionLimit }
}

extension EntryMachine {
  /// The state of the fetch.
  @inline(__always)
  var fetchStatus: FetchStatus { isPaused ? .paused : isFetching ? .fetching : .idle }

  /// The facts of the machine for a snapshot.
  // This is inlined, because the machine is a large value, and a call would copy it.
  @inline(__always)
  var snapshotFacts: SnapshotFacts {
    SnapshotFacts(
      dataUpdatedAt: dataUpdatedAt,
      errorUpdatedAt: errorUpdatedAt,
      errorUpdateCount: errorUpdateCount,
      dataUpdateCount: dataUpdateCount,
      failureCount: failureCount,
      fetchStatus: fetchStatus,
      isInvalidated: isInvalidated,
      cause: cause,
      part: part
    )
  }
}
