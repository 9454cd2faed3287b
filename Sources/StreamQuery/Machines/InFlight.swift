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

  /// Whether observers, callers or the client want a fetch, or nobody does.
  package enum Claim: Equatable, Sendable {
    /// The fetch lives while observers or callers want it.
    case shared
    /// The client itself wants the fetch, for background work on a key that nobody observes.
    case leased
    /// Nobody wants the fetch, but its option `abandonment` lets it go on. With `.finish`, no attempt follows
    /// the present one. With `.linger`, the fetch is cancelled at the time `until`.
    case abandoned(isLastAttempt: Bool, until: Instant?)
  }

  /// How an attempt begins: from nothing, or from the progress of earlier attempts.
  package enum Beginning: Equatable, Sendable {
    /// The attempt begins anew.
    case anew
    /// The attempt begins anew after the fetch was deferred, and is not deferred again.
    case afterDeferral
    /// The attempt continues from the progress of earlier ones: its answer began with the first attempt.
    case continued
  }

  /// The events since an attempt started.
  package struct Attempt: Equatable, Sendable {
    /// Whether the answer that the attempt will bring is still up to date.
    package enum Standing: Equatable, Sendable {
      /// The entry was not invalidated during the attempt.
      case current
      /// The entry was invalidated during the attempt. If the attempt fails, later callers do not get its
      /// failure.
      case overtaken
      /// The entry was invalidated, and then a caller asked for newer data: one more fetch follows if the answer
      /// reports itself as outdated.
      case askedAnew
      /// The server's data changed: the answer is dropped, and the fetch restarts.
      case outdated
    }

    package var standing = Standing.current
    /// Whether a value was written to the entry during the attempt.
    package var wasWritten = false
    /// The time when the attempt showed its first part; `nil` if it has shown none.
    package var deliveringSince: Instant?

    /// Forgets that a caller asked for newer data.
    mutating func requestDropped() {
      if standing == .askedAnew { standing = .overtaken }
    }
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
  /// Whether anybody wants the fetch.
  package var claim: Claim
  /// How long the observer that left last lets the fetch go on, even if callers come and go meanwhile.
  package var lingerPromise: LingerPromise?
  /// The part of the data that the fetch requests.
  package var part: FetchPart
  /// The state before the start of the fetch; a cancellation restores it.
  package var undo: Undo
  /// Whether the entry was invalidated after the answer of this fetch began, by a call that does not accept
  /// such an answer: then the data stays invalidated after the answer.
  package var predatesMark = false
  /// Whether the data was marked as invalidated when the attempt began.
  ///
  /// A page that is added to such data counts as invalidated too.
  package var baseWasMarked = false
  /// How the running attempt began or, between attempts, how the next one will begin.
  package var beginning = Beginning.anew
  /// The running attempt or, between attempts, the last one.
  package var attempt = Attempt()
  /// The cause of a request for the whole value that joined this fetch of a page; `nil` if there was none.
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
  var hasBegunAnswer: Bool { stage == .running || beginning == .continued }

  /// Whether the client itself wants the fetch.
  package var hasClientLease: Bool { claim == .leased }

  /// Whether nobody wants the fetch, and it goes on nevertheless.
  package var isAbandoned: Bool { if case .abandoned = claim { true } else { false } }

  /// Whether no further attempt starts, because nobody wants the fetch.
  package var stopsRetrying: Bool {
    if case .abandoned(isLastAttempt: true, _) = claim { true } else { false }
  }

  /// The time at which the fetch is cancelled, because nobody wants it.
  package var lingersUntil: Instant? {
    if case .abandoned(_, let until) = claim { until } else { nil }
  }

  /// Begins an attempt.
  ///
  /// Invalidations and requests before now do not concern the answer, unless this attempt continues a former
  /// one.
  ///
  /// - Parameter overMark: Whether the data is marked as invalidated.
  mutating func attemptBegan(overMark: Bool) {
    stage = .running
    let continuesOutdated = beginning == .continued && attempt.standing == .outdated
    attempt = Attempt()
    if continuesOutdated { attempt.standing = .outdated }
    guard beginning != .continued else { return }
    predatesMark = false
    baseWasMarked = overMark
    if successorPart == .whole { successor = nil }
  }

  /// Requests one more fetch if the answer is outdated and a caller had asked for newer data.
  ///
  /// - Parameter age: The age of the answer; `nil` if the answer is new.
  mutating func answered(_ age: AnswerAge?) {
    if age?.isOutdated == true, attempt.standing == .askedAnew {
      successor = successor ?? .invalidated
    }
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

/// The next step of a paused fetch.
package enum Pause: Hashable, Sendable {
  case firstAttempt
  case retry
}
