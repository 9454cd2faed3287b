/// Decides everything about one cached key: when it fetches, what its status is, when it goes.
///
/// Pure: it never awaits, reads a clock, or holds a value, a task or a closure. Inputs are facts
/// with the time as a parameter; outputs are ``EntryEffects``. Values and errors lie beside it.
///
/// | input \ phase | idle | running | waiting | paused |
/// |---|---|---|---|---|
/// | `requested` | begin | join, or supersede if there is data, at most thrice in a row | same | same |
/// | `invalidated` | mark | mark, which outlives a first answer | mark | mark |
/// | `attemptSucceeded` | – | land, idle or one more fetch | – | – |
/// | `attemptKept` | – | the same, over the same data | – | – |
/// | `attemptFailed` | – | waiting, or fail, idle | – | – |
/// | `timeReached` | poll, go stale, expire | linger over: cancel | next attempt, pause, fail | linger over: cancel |
/// | `worldChanged` | refetch the willing | – | – | next attempt |
/// | last interest lost | retention begins | cancel, finish or linger | same | same |
/// | `cancelRequested` | – | undo, idle | same | same |
/// | `written(fencing:)` | store | store; fencing ends it | same | same |
/// | `cleared` | empty | empty, idle | same | same |
///
/// A dash is a no-op. Late answers of old fetches (see ``FetchID``) are no-ops everywhere.
package struct EntryMachine: Equatable, Sendable {
  /// What the current fetch is doing.
  ///
  /// Indirect: most entries of a cache fetch nothing, and need no room for it.
  package indirect enum Phase: Equatable, Sendable {
    /// Nothing in flight; to `running` or `paused` by a request.
    case idle
    /// An attempt runs; to `idle` when it ends the fetch, to `waiting` when it is retried.
    case running(Current)
    /// Between attempts; to `running` or `paused` at the time.
    case waiting(Current, until: Moment)
    /// Waits for the network or the app; to `running` when both allow it.
    case paused(Current, before: Pause)
  }

  /// What a paused fetch would do next.
  package enum Pause: Equatable, Sendable {
    case firstAttempt
    case retry
  }

  /// The fetch in flight.
  package struct Current: Equatable, Sendable {
    package var id: FetchID
    /// The terms at its start: a newer plan does not change a running fetch.
    package var terms: FetchTerms
    /// The client wants it for itself: background work on a key that nobody observes.
    package var hasClientLease: Bool
    /// Abandoned under `.finish`: no further attempt starts.
    package var stopsRetrying = false
    /// Abandoned under `.linger`: cancelled at this time.
    package var lingersUntil: Moment?
    /// Which page it adds; `nil` fetches the whole value.
    package var direction: PageDirection?
    /// The truth changed since its start: its answer does not land, but starts it anew.
    package var isOutdated = false
    /// What the fetch's start changed, for a cancellation to undo.
    package var undo: Undo
    /// The entry was invalidated since the attempt began, and it could not be replaced: its answer may be
    /// older than the mark, which outlives it.
    package var predatesMark = false
    /// A value was written since the attempt began.
    package var wasWritten = false
    /// Why one more fetch follows when it succeeds: somebody asked for a newer answer than its own.
    package var successor: FetchCause?
    /// How often a fetch took the place of another, up to this one, while nothing landed.
    package var supersessions: UInt8 = 0
  }

  /// How many fetches in a row may be replaced before they landed: the next one lands.
  ///
  /// Without a bound, an entry that is invalidated faster than it is fetched would never show an answer.
  package static var supersessionLimit: UInt8 { 3 }

  /// What a fetch's start changed.
  package struct Undo: Equatable, Sendable {
    package var isError: Bool
    package var isInvalidated: Bool
    package var failureCount: Int
    package var cause: FetchCause?
    package var direction: PageDirection?
    /// Data that the fetch took out of sight: an array of at most one, so that the many entries
    /// without any pay a word for it.
    private var shelf: [Shelved] = []

    package init(
      isError: Bool,
      isInvalidated: Bool,
      failureCount: Int,
      cause: FetchCause?,
      direction: PageDirection?
    ) {
      self.isError = isError
      self.isInvalidated = isInvalidated
      self.failureCount = failureCount
      self.cause = cause
      self.direction = direction
    }

    package var shelved: Shelved? {
      get { shelf.first }
      set { shelf = newValue.map { [$0] } ?? [] }
    }
  }

  package internal(set) var phase = Phase.idle
  package internal(set) var hasData = false
  package internal(set) var isError = false
  package internal(set) var isInvalidated = false
  /// Layers lie over the data: the entry is kept whoever wants it.
  package internal(set) var isPinned = false
  /// The entry was removed, and nothing came or was asked for since.
  package internal(set) var isRemoved = false
  package internal(set) var cause: FetchCause?
  /// Which page the running fetch adds, or else the last one added.
  package internal(set) var direction: PageDirection?
  package internal(set) var dataUpdatedAt = Timestamp.never
  package internal(set) var errorUpdatedAt = Timestamp.never
  @SmallCount package internal(set) var dataUpdateCount = 0
  @SmallCount package internal(set) var errorUpdateCount = 0
  @SmallCount package internal(set) var failureCount = 0

  /// Observers by profile; most entries have none or one group.
  var groups: [ObserverGroup] = []
  @SmallCount package internal(set) var observerCount = 0
  @SmallCount package internal(set) var enabledCount = 0
  /// Callers that wait with a lease: `fetch`, `ensure`, `prefetch`.
  @SmallCount package internal(set) var waiterCount = 0

  /// Terms of the next fetch.
  var terms = FetchTerms()
  var fetchSerial: UInt32 = 0
  /// The last start, failure or end of a fetch: the beat that polling counts from.
  var lastBeat = Moment.distantPast
  /// Data that turned stale up to here has been told of.
  var toldUntil = Moment.distantPast
  /// Beats of polling up to here have been dealt with; later ones are still to come.
  var polledUntil = Moment.distantPast
  /// The longest retention that anyone asked for.
  package internal(set) var gcTime = Span.zero
  /// The retention of the observer that left last, where it had its own.
  var leaverGcTime: Span?
  /// Since when nobody wants the entry.
  var unwantedSince = Moment.distantPast

  /// Creates the machine of an entry that nobody wants yet.
  ///
  /// - Parameter now: The time of the turn.
  package init(at now: Moment) {
    unwantedSince = now
    toldUntil = now
    polledUntil = now
  }

  /// How often data came and fetches failed.
  package var counts: SettledCounts {
    @inline(__always) get { SettledCounts(data: dataUpdateCount, errors: errorUpdateCount) }
  }

  /// The fetch in flight.
  package var current: Current? {
    switch phase {
    case .idle: nil
    case .running(let current), .waiting(let current, until: _), .paused(let current, before: _):
      current
    }
  }

  /// Whether anyone wants the entry or a fetch of it.
  var isWanted: Bool {
    observerCount > 0 || waiterCount > 0
  }

  /// Whether a fetch runs or waits for its next attempt.
  package var isFetching: Bool {
    switch phase {
    case .running, .waiting: true
    case .idle, .paused: false
    }
  }

  /// Whether a fetch rests until the network or the app is back.
  package var isPaused: Bool {
    if case .paused = phase { true } else { false }
  }

  /// Whether no fetch is in flight.
  package var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Whether some enabled observer is there.
  package var isActive: Bool { enabledCount > 0 }

  /// Whether what the fetch in flight answers may be older than now: an attempt runs, or kept a part of
  /// what it got for the next one.
  var mayAnswerLate: Bool {
    switch phase {
    case .idle, .paused(_, before: .firstAttempt): false
    case .running: true
    case .waiting(let current, until: _), .paused(let current, before: .retry):
      current.terms.keepsProgress
    }
  }

  /// Whether a superseding request takes the place of the fetch in flight, rather than joining it.
  var isReplaceable: Bool {
    hasData && (current?.supersessions ?? 0) < Self.supersessionLimit
  }

  mutating func updateCurrent(_ change: (inout Current) -> Void) {
    guard let current else { return }
    var changed = current
    change(&changed)
    // Most often nothing changes, and the phase need not be made anew.
    guard changed != current else { return }
    switch phase {
    case .idle: break
    case .running: phase = .running(changed)
    case .waiting(_, let until): phase = .waiting(changed, until: until)
    case .paused(_, let pause): phase = .paused(changed, before: pause)
    }
  }
}
