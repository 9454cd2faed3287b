/// Decides everything about one cached key: when it fetches, its status, when it is dropped.
///
/// It is pure: it never awaits, reads a clock, or holds a value, a task or a closure. Inputs are
/// facts with the time as a parameter; outputs are ``EntryActions``. Values and errors are stored
/// next to it.
///
/// | input \ phase | idle | running | waiting | paused |
/// |---|---|---|---|---|
/// | `requested` | begin | join, or supersede if there is data, at most three times in a row | same | same |
/// | `invalidated` | mark | mark, which outlives a first answer | mark | mark |
/// | `attemptSucceeded` | – | land, idle or one more fetch | – | – |
/// | `attemptKept` | – | the same, over the same data | – | – |
/// | `attemptFailed` | – | waiting, or fail, idle | – | – |
/// | `timeReached` | poll, go stale, expire | linger over: cancel | next attempt, pause, fail | linger over: cancel |
/// | `environmentChanged` | refetch the willing | – | – | next attempt |
/// | last interest lost | retention begins | cancel, finish or linger | same | same |
/// | `cancelRequested` | – | undo, idle | same | same |
/// | `written(fencing:)` | store | store; fencing ends it | same | same |
/// | `cleared` | empty | empty, idle | same | same |
///
/// A dash is a no-op. Late answers of old fetches (see ``FetchID``) are no-ops everywhere.
package struct EntryMachine: Equatable, Sendable {
  /// What the current fetch is doing.
  ///
  /// Indirect: most entries of a cache fetch nothing and need no room for it.
  package indirect enum Phase: Equatable, Sendable {
    /// Nothing in flight; a request leads to `running` or `paused`.
    case idle
    /// An attempt runs; leads to `idle` when it ends the fetch, to `waiting` when it is retried.
    case running(Current)
    /// Between attempts; leads to `running` or `paused` when the time comes.
    case waiting(Current, until: Instant)
    /// Waits for the network or the app; leads to `running` when both allow it.
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
    /// The terms when it started: a newer plan does not change a running fetch.
    package var fetchOptions: FetchOptions
    /// The client itself wants it: background work on a key that nobody observes.
    package var hasClientLease: Bool
    /// Abandoned under `.finish`: no further attempt starts.
    package var stopsRetrying = false
    /// Abandoned under `.linger`: cancelled at this time.
    package var lingersUntil: Instant?
    /// Which page it adds; `nil` fetches the whole value.
    package var direction: PageDirection?
    /// The truth changed since it started: its answer does not land but restarts it.
    package var isOutdated = false
    /// What the start of the fetch changed, for a cancellation to undo.
    package var undo: Undo
    /// The entry was invalidated since the attempt started, and the fetch could not be replaced:
    /// its answer may be older than the mark, so the mark outlives it.
    package var predatesMark = false
    /// A value was written since the attempt started.
    package var wasWritten = false
    /// Why one more fetch follows if this one succeeds: somebody asked for a newer answer.
    package var successor: FetchCause?
    /// How many fetches in a row, up to this one, replaced another without any of them landing.
    package var supersessions: UInt8 = 0
  }

  /// How many fetches in a row may be replaced before they land: the next one lands.
  ///
  /// Without a limit, an entry that is invalidated faster than it is fetched would never show an
  /// answer.
  package static var supersessionLimit: UInt8 { 3 }

  /// What the start of a fetch changed.
  package struct Undo: Equatable, Sendable {
    package var isError: Bool
    package var isInvalidated: Bool
    package var failureCount: Int
    package var cause: FetchCause?
    package var direction: PageDirection?
    /// Data that the fetch hid: an array of at most one element, so that the many entries without
    /// any pay one word.
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

    package var stashed: Shelved? {
      get { shelf.first }
      set { shelf = newValue.map { [$0] } ?? [] }
    }
  }

  package internal(set) var phase = Phase.idle
  package internal(set) var hasData = false
  package internal(set) var isError = false
  package internal(set) var isInvalidated = false
  /// Layers lie over the data: the entry is kept even if nobody wants it.
  package internal(set) var isPinned = false
  /// The entry was removed, and since then nothing arrived or was requested.
  package internal(set) var isRemoved = false
  package internal(set) var cause: FetchCause?
  /// Which page the running fetch adds, or which one the last fetch added.
  package internal(set) var direction: PageDirection?
  package internal(set) var dataUpdatedAt = Timestamp.never
  package internal(set) var errorUpdatedAt = Timestamp.never
  @SmallCount package internal(set) var dataUpdateCount = 0
  @SmallCount package internal(set) var errorUpdateCount = 0
  @SmallCount package internal(set) var failureCount = 0

  /// Observers by resolved options; most entries have none or one group.
  var groups: [ObserverGroup] = []
  @SmallCount package internal(set) var observerCount = 0
  @SmallCount package internal(set) var enabledCount = 0
  /// Callers that wait with a lease: `fetch`, `ensure`, `prefetch`.
  @SmallCount package internal(set) var waiterCount = 0

  /// Terms of the next fetch.
  var fetchOptions = FetchOptions()
  var fetchSerial: UInt32 = 0
  /// The last start, failure or end of a fetch: polling counts from this tick.
  var lastTick = Instant.distantPast
  /// Data that became stale up to this time has been reported.
  var toldUntil = Instant.distantPast
  /// Beats of polling up to this time have been handled; later ones are still to come.
  var polledUntil = Instant.distantPast
  /// The longest retention that anyone asked for.
  package internal(set) var gcTime = TimeSpan.zero
  /// The retention of the observer that left last, if it had its own.
  var leaverGcTime: TimeSpan?
  /// The time since which nobody wants the entry.
  var unwantedSince = Instant.distantPast

  /// Creates the machine of an entry that nobody wants yet.
  ///
  /// - Parameter now: The time of the transaction.
  package init(at now: Instant) {
    unwantedSince = now
    toldUntil = now
    polledUntil = now
  }

  /// How often data arrived and fetches failed.
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

  /// Whether a fetch is running or waiting for its next attempt.
  package var isFetching: Bool {
    switch phase {
    case .running, .waiting: true
    case .idle, .paused: false
    }
  }

  /// Whether a fetch is paused until the network or the app is back.
  package var isPaused: Bool {
    if case .paused = phase { true } else { false }
  }

  /// Whether no fetch is in flight.
  package var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Whether there is an enabled observer.
  package var isActive: Bool { enabledCount > 0 }

  /// Whether the answer of the fetch in flight may be older than now: an attempt is running, or the
  /// fetch kept part of an earlier answer for the next attempt.
  var mayAnswerLate: Bool {
    switch phase {
    case .idle, .paused(_, before: .firstAttempt): false
    case .running: true
    case .waiting(let current, until: _), .paused(let current, before: .retry):
      current.fetchOptions.keepsProgress
    }
  }

  /// Whether a superseding request replaces the fetch in flight instead of joining it.
  var isReplaceable: Bool {
    hasData && (current?.supersessions ?? 0) < Self.supersessionLimit
  }

  mutating func updateCurrent(_ change: (inout Current) -> Void) {
    guard let current else { return }
    var changed = current
    change(&changed)
    // Usually nothing changes, and the phase need not be rebuilt.
    guard changed != current else { return }
    switch phase {
    case .idle: break
    case .running: phase = .running(changed)
    case .waiting(_, let until): phase = .waiting(changed, until: until)
    case .paused(_, let pause): phase = .paused(changed, before: pause)
    }
  }
}
