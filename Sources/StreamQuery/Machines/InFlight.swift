/// A fetch in flight.
package struct InFlight: Equatable, Sendable {
  /// The stage of the fetch.
  package enum Stage: Equatable, Sendable {
    /// An attempt runs; leads to `waiting` when it is retried.
    case running
    /// The fetch waits between attempts; leads to `running` or `paused` when the time comes.
    case waiting(until: Instant)
    /// The fetch is deferred, because an import may bring the data; leads to `running` or `paused` at this
    /// time, or when the fetch is resumed.
    ///
    /// Without a time, it waits until it is resumed.
    case deferred(until: Instant?)
    /// The fetch waits for the network or the app; leads to `running` when both allow it.
    case paused(before: Pause)
  }

  /// The events since an attempt started.
  package struct Attempt: Equatable, Sendable {
    /// Whether a value was written.
    package var wasWritten = false
    /// Whether the entry was invalidated, so that later callers do not get a failure of the attempt.
    package var isOvertaken = false
    /// Whether a caller has asked for newer data: one more fetch follows if the answer reports itself as
    /// outdated.
    package var isAskedAnew = false
    /// The time when the attempt showed its first part; `nil` if it has shown none.
    package var deliveringSince: Instant?
  }

  /// The source of a write.
  package enum Writer: Equatable, Sendable {
    case caller
    case archive
  }

  package var id: FetchID
  package var stage = Stage.running
  /// The options of the fetch at its start: a newer query does not change a running fetch.
  package var fetchOptions: FetchOptions
  /// Whether the client itself wants the fetch, for background work on a key that nobody observes.
  package var hasClientLease: Bool
  /// Whether no further attempt starts, because nobody wants the fetch and its abandonment is `.finish`.
  package var stopsRetrying = false
  /// The time at which the fetch is cancelled, because nobody wants it and its abandonment is `.linger`.
  package var lingersUntil: Instant?
  /// How long the observer that left last lets the fetch go on, even if callers come and go meanwhile.
  package var lingerPromise: LingerPromise?
  /// The part of the data that the fetch requests.
  package var part: FetchPart
  /// Whether the server's data changed since the fetch started: then the fetch's answer is dropped, and the
  /// fetch restarts.
  package var isOutdated = false
  /// The state before the start of the fetch; a cancellation restores it.
  package var undo: Undo
  /// Whether the entry was invalidated after the answer of this fetch began, by a call that does not accept
  /// such an answer: then the data stays invalidated.
  package var predatesMark = false
  /// Whether the data was marked as invalidated when the attempt began.
  ///
  /// A page that is added to such data counts as invalidated too.
  package var baseWasMarked = false
  /// Whether a retry continues from the progress of earlier attempts: then its answer began with the first
  /// attempt.
  package var keepsPart = false
  /// Whether the fetch was deferred before its first attempt: then it is not deferred again.
  package var wasDeferred = false
  /// The running attempt or, between attempts, the last one.
  package var attempt = Attempt()
  /// If a request for the whole value joined this fetch of a page: the cause of that request.
  package var joined: FetchCause?
  /// The source of the data, if it was written since the fetch started.
  package var writer: Writer?
  /// The reason for one more fetch if this one succeeds: a newer answer was requested.
  package var successor: FetchCause?
  /// The part that the successor fetches.
  ///
  /// A page is fetched even if this fetch fails, because a page does not depend on the answer of this fetch.
  package var successorPart = FetchPart.whole
  /// How many fetches in a row, including this one, replaced an earlier one before any of them answered.
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

  /// Whether the first attempt of the fetch may begin.
  @inline(__always)
  func canBegin(in environment: Environment) -> Bool {
    fetchOptions.networkMode != .online || environment.isOnline
  }

  /// Whether the answer of the fetch has begun: an attempt is running, or the next one continues
  /// from the progress of earlier ones.
  var hasBegunAnswer: Bool { stage == .running || keepsPart }

  /// Begins an attempt.
  ///
  /// Invalidations and requests before now do not concern the answer, unless this attempt continues a former
  /// one.
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

  /// Requests one more fetch if the answer is outdated and a caller had asked for newer data.
  ///
  /// - Parameter age: The age of the answer; `nil` is new.
  mutating func answered(_ age: AnswerAge?) {
    if age?.isOutdated == true, attempt.isAskedAnew { successor = successor ?? .invalidated }
  }

  /// The time for which an observer that has left lets a fetch go on.
  package struct LingerPromise: Equatable, Sendable {
    var since: Instant
    var span: TimeSpan

    /// The rest of the time; `nil` if it is over.
    func rest(at now: Instant) -> TimeSpan? {
      guard let end = since + span else { return .infinite }
      return end > now ? TimeSpan(.nanoseconds(end.nanoseconds - now.nanoseconds)) : nil
    }
  }

  /// The state before a fetch started, to be restored by a cancellation.
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
