/// A fetch in flight.
package struct InFlight: Equatable, Sendable {
  /// The stage of the fetch.
  package enum Stage: Equatable, Sendable {
    /// An attempt runs; leads to `waiting` when it is retried.
    case running
    /// Between attempts; leads to `running` or `paused` when the time comes.
    case waiting(until: Instant)
    /// Deferred for an import that may bring the data; leads to `running` or `paused` at this time, or when
    /// it is resumed. `nil` is never.
    case deferred(until: Instant?)
    /// Waits for the network or the app; leads to `running` when both allow it.
    case paused(before: Pause)
  }

  /// The events since an attempt started.
  package struct Attempt: Equatable, Sendable {
    /// A value was written.
    package var wasWritten = false
    /// The entry was invalidated, so a failure of the attempt is not the answer for later callers.
    package var isOvertaken = false
    /// A caller asked for newer data, and accepts the answer unless its age says that it is outdated.
    package var isAskedAnew = false
    /// The time when it showed its first part; `nil` if it has shown none.
    package var deliveringSince: Instant?
  }

  /// The source of a write.
  package enum Writer: Equatable, Sendable {
    case caller
    case archive
  }

  package var id: FetchID
  package var stage = Stage.running
  /// The options when it started: a newer query does not change a running fetch.
  package var fetchOptions: FetchOptions
  /// The client itself wants it: background work on a key that nobody observes.
  package var hasClientLease: Bool
  /// Abandoned under `.finish`: no further attempt starts.
  package var stopsRetrying = false
  /// Abandoned under `.linger`: cancelled at this time.
  package var lingersUntil: Instant?
  /// The part that it fetches.
  package var part: FetchPart
  /// The server's data changed since the fetch started: its answer does not land but restarts it.
  package var isOutdated = false
  /// The changes of the start, for a cancellation to undo.
  package var undo: Undo
  /// The entry was invalidated since the answer began, by a call that does not accept that answer: the mark
  /// stays.
  package var predatesMark = false
  /// The data was marked as invalidated when the attempt began: a page that is added to it is as
  /// old.
  package var baseWasMarked = false
  /// A retry continues from the progress of earlier attempts, so its answer began with theirs.
  package var keepsPart = false
  /// It was deferred before its first attempt, and is not deferred again.
  package var wasDeferred = false
  /// The attempt that runs, or the last one.
  package var attempt = Attempt()
  /// The reason for which the value was requested while a page is fetched.
  package var joined: FetchCause?
  /// The source of the data, if it was written since the fetch started.
  package var writer: Writer?
  /// The reason for one more fetch if this one succeeds: a newer answer was requested.
  package var successor: FetchCause?
  /// The part that the successor fetches.
  ///
  /// A page is fetched even if this fetch fails, because its answer does not depend on this one.
  package var successorPart = FetchPart.whole
  /// The number of fetches in a row, up to this one, that replaced another without one landing.
  package var supersessions: UInt8 = 0

  /// The next step of the fetch once it may proceed; `nil` while an attempt runs.
  var next: Pause? {
    switch stage {
    case .running: nil
    case .waiting: .retry
    case .deferred: .firstAttempt
    case .paused(let next): next
    }
  }

  /// Whether its first attempt may begin.
  @inline(__always)
  func canBegin(in environment: Environment) -> Bool {
    fetchOptions.networkMode != .online || environment.isOnline
  }

  /// Whether its answer has begun: an attempt is running, or the next one continues from the
  /// progress of earlier ones.
  var hasBegunAnswer: Bool { stage == .running || keepsPart }

  /// An attempt begins.
  ///
  /// The answer begins now, so earlier invalidations and requests do not concern it.
  ///
  /// - Parameter overMark: Whether the data is marked as invalidated.
  mutating func attemptBegan(overMark: Bool) {
    stage = .running
    attempt = Attempt()
    guard !keepsPart else { return }
    predatesMark = false
    baseWasMarked = overMark
    if successorPart == .whole { successor = nil }
  }

  /// The fetch has an answer, which may be too old for a caller that asked for newer data.
  ///
  /// The caller accepts an answer that is as new as its request. If the age says that the answer is
  /// outdated, one more fetch follows.
  ///
  /// - Parameter age: The age of the answer; `nil` is new.
  mutating func answered(_ age: AnswerAge?) {
    if age?.isOutdated == true, attempt.isAskedAnew { successor = successor ?? .invalidated }
  }

  /// The changes of the start of a fetch.
  package struct Undo: Equatable, Sendable {
    package var isError: Bool
    package var failureCount: Int
    package var cause: FetchCause?
    package var part: FetchPart
    /// Data that the fetch hid.
    package var stashed: Stashed?
  }

  /// Data that a fetch hid when it started, to be restored by a cancellation.
  package struct Stashed: Equatable, Sendable {
    var extent: EntryMachine.Extent
    package var updatedAt: Timestamp
    package var updateCount: Int
  }
}

/// The next step of a paused fetch or run.
package enum Pause: Hashable, Sendable {
  case firstAttempt
  case retry
}
