/// An event in the ring: everything that most events have, in a fixed number of bytes.
struct RecordRow: Sendable {
  var time: Int64
  /// The index of the entry in the keys of the ring, or the number of the run.
  var subject: UInt32 = 0
  /// The number of the fetch or the run, or a count.
  var detail: UInt32 = 0
  var code: RecordCode
  /// The number of a removal's reason, or 1 for a flag that is set.
  var option: UInt8 = 0
  /// Whether the row has an ``Extra``.
  var hasExtra = false
  /// The state of the entry after the event.
  var state = RecordedState()

  /// Whether the row is about an entry and has no ``Extra``, like nearly all rows.
  @inline(__always)
  var isPlain: Bool { code.isOfEntry && !hasExtra }

  /// The part of an event that few events have.
  struct Extra: Sendable {
    /// The number of the event.
    var event: UInt64 = 0
    var error: (any Error)?
    /// The number of the error; 0 is none.
    var errorNumber: UInt32 = 0
    /// The wait before the next attempt, in nanoseconds.
    var wait: Int64 = 0
    /// The name of a trigger, a callback or a store.
    var name = ""
    var filter: EntryFilter?
    /// Whether a predicate selects among the entries of the filter.
    var hasPredicate = false
  }

  /// An error of which only the text is left.
  struct FormerError: Error, CustomStringConvertible {
    let description: String
  }
}

/// The numbers of events in the format of a record.
enum RecordCode: UInt8, Sendable {
  case changed = 0
  case added, removed, observed, unobserved
  case fetchStarted, attemptFailed, fetchPaused, fetchResumed, fetchSucceeded, fetchFailed
  case fetchCancelled, written, invalidated, reset, servedStale, layered, unlayered, adopted
  case runStarted = 30
  case runPaused, runResumed, runPerforming, runAttemptFailed, runStopped, callbackFailed
  case runSucceeded, runFailed, runCancelled
  case network = 50
  case activity, trigger, persistenceFailed, bulk
  case lost = 60

  /// Whether the event is about an entry.
  var isOfEntry: Bool {
    @inline(__always) get { rawValue < RecordCode.runStarted.rawValue }
  }

  /// Whether the event is about a run.
  var isOfRun: Bool { !isOfEntry && rawValue < RecordCode.network.rawValue }

  /// Whether the run is over after the event.
  var endsRun: Bool {
    rawValue >= Self.runSucceeded.rawValue && rawValue <= Self.runCancelled.rawValue
  }
}
