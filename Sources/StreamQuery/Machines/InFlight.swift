/// A fetch in flight.
package struct InFlight: Equatable, Sendable {
  /// What the fetch is doing.
  package enum Stage: Equatable, Sendable {
    /// An attempt runs; leads to `waiting` when it is retried.
    case running
    /// Between attempts; leads to `running` or `paused` when the time comes.
    case waiting(until: Instant)
    /// Waits for an import that is to bring the data; leads to `running` or `paused` at this time, or
    /// when it is let go. `nil` is never.
    case held(until: Instant?)
    /// Waits for the network or the app; leads to `running` when both allow it.
    case paused(before: Pause)
  }

  /// What a paused fetch would do next.
  package enum Pause: Equatable, Sendable {
    case firstAttempt
    case retry
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
  /// What it fetches.
  package var part: FetchPart
  /// The truth changed since it started: its answer does not land but restarts it.
  package var isOutdated = false
  /// What the start of the fetch changed, for a cancellation to undo.
  package var undo: Undo
  /// The entry was invalidated since its answer began, by somebody who does not take that answer for
  /// new enough: the mark outlives it.
  package var predatesMark = false
  /// The data was marked as invalidated when the attempt began: what is added to that is as old.
  package var baseWasMarked = false
  /// A retry goes on with what earlier attempts got, so its answer began with theirs.
  package var keepsPart = false
  /// Its first attempt was held back once, and is not again.
  package var wasHeld = false
  /// The entry was invalidated since the attempt started, whoever asked for it: a failure is no
  /// answer to that.
  package var isOvertaken = false
  /// Somebody asked for newer data since the attempt started, and accepts its answer unless that is
  /// said to be outdated.
  package var isAskedAnew = false
  /// Why the value was asked for while a page is fetched.
  package var joined: FetchCause?
  /// A value was written since the attempt started.
  package var wasWritten = false
  /// The source of the data, if it was written since the fetch started.
  package var writer: Writer?
  /// When the attempt that runs showed its first part; `nil` if it has shown none.
  package var deliveringSince: Instant?
  /// Why one more fetch follows if this one succeeds: somebody asked for a newer answer.
  package var successor: FetchCause?
  /// What that one fetches.
  ///
  /// A page is fetched even if this one fails: no answer to this is one to that.
  package var successorPart = FetchPart.whole
  /// How many fetches in a row, up to this one, replaced another without any of them landing.
  package var supersessions: UInt8 = 0

  /// What the fetch does next if nothing keeps it from it; `nil` while an attempt runs.
  var next: Pause? {
    switch stage {
    case .running: nil
    case .waiting: .retry
    case .held: .firstAttempt
    case .paused(let next): next
    }
  }

  /// Whether its first attempt may begin.
  @inline(__always)
  func canBegin(in environment: Environment) -> Bool {
    fetchOptions.networkMode != .online || environment.isOnline
  }

  /// Whether its answer has begun: an attempt is running, or the next one goes on with what earlier
  /// attempts got.
  var hasBegunAnswer: Bool { stage == .running || keepsPart }

  /// An attempt begins.
  ///
  /// What was invalidated or asked for before is no matter to an answer that begins now.
  ///
  /// - Parameter overMark: Whether the data is marked as invalidated.
  mutating func attemptBegan(overMark: Bool) {
    stage = .running
    wasWritten = false
    isOvertaken = false
    isAskedAnew = false
    deliveringSince = nil
    guard !keepsPart else { return }
    predatesMark = false
    baseWasMarked = overMark
    if successorPart == .whole { successor = nil }
  }

  /// The fetch has an answer, which may be too old for those who asked anew.
  ///
  /// They accepted an answer that is as new as their question. If this one is said to be outdated,
  /// one more fetch follows.
  ///
  /// - Parameter age: How old the answer is; `nil` is new.
  mutating func answered(_ age: AnswerAge?) {
    if age?.isOutdated == true, isAskedAnew { successor = successor ?? .invalidated }
  }

  /// What the start of a fetch changed.
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
