internal import StreamQuery

extension RecordReplay {
  /// The numbers of entries by their state, and the state of the client.
  struct Totals: Hashable, Sendable {
    var entries = 0
    var pending = 0
    var successful = 0
    var failed = 0
    var fetching = 0
    var paused = 0
    var observed = 0
    var isOnline = true
    var isActive = true
    /// The number of events that were lost, before the first event or between others.
    var lost = 0

    /// Adds the state of an entry to the totals, or subtracts it.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - change: 1 to add the state, -1 to subtract it.
    mutating func add(_ state: QueryRecord.State, _ change: Int) {
      entries += change
      switch state.status {
      case .pending: pending += change
      case .success: successful += change
      case .error: failed += change
      }
      switch state.fetchStatus {
      case .idle: break
      case .fetching: fetching += change
      case .paused: paused += change
      }
      if state.observerCount > 0 { observed += change }
    }
  }

  /// The failed attempts of a run.
  struct RunProgress: Hashable, Sendable {
    /// The number of failed attempts.
    var failureCount = 0
    /// The number of the newest error, by which the replay finds the error's text.
    var error: Int?

    /// Applies an event to the progress of its run.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - status: The status of the run before the event.
    /// - Returns: The status of the run after the event.
    mutating func step(
      _ event: QueryRecord.Event,
      from status: QueryRecord.RunStatus?
    ) -> QueryRecord.RunStatus? {
      guard case .run(let step, _) = event.kind else { return status }
      switch step {
      case .started, .resumed: return .started
      case .paused: return .paused
      case .performing(let attempt):
        failureCount = attempt
        return .performing
      case .attemptFailed(let count, _, let error):
        (failureCount, self.error) = (count, error)
        return .retrying
      case .stopped(let error):
        self.error = error
        return .stopped
      case .callbackFailed(let error, _):
        self.error = error
        return status
      case .succeeded: return .succeeded
      case .failed(let error):
        self.error = error
        return .failed
      case .cancelled: return .cancelled
      }
    }
  }
}

extension QueryRecord.RunStatus {
  /// Whether a run with this status takes no further step.
  var isEnd: Bool {
    switch self {
    case .succeeded, .failed, .cancelled: true
    case .started, .paused, .performing, .retrying, .stopped: false
    }
  }
}

extension QueryRecord.EntryStep {
  /// The run of which the step adds or removes an optimistic change; `nil` for any other step.
  var run: Int? {
    switch self {
    case .layered(let run), .unlayered(let run): run
    case .changed, .added, .removed, .observed, .unobserved, .fetchStarted, .attemptFailed,
      .fetchPaused,
      .fetchResumed, .fetchSucceeded, .fetchFailed, .fetchCancelled, .written, .invalidated, .reset,
      .servedStale, .adopted:
      nil
    }
  }

  /// The number of the fetch that the step is about; `nil` for any other step.
  var fetch: Int? {
    switch self {
    case .fetchStarted(let fetch), .attemptFailed(let fetch, _, _, _), .fetchPaused(let fetch),
      .fetchResumed(let fetch), .fetchSucceeded(let fetch, _), .fetchFailed(let fetch, _),
      .fetchCancelled(let fetch):
      fetch
    case .changed, .added, .removed, .observed, .unobserved, .written, .invalidated, .reset,
      .servedStale,
      .layered, .unlayered, .adopted:
      nil
    }
  }
}

extension QueryRecord.Kind {
  /// The number of the error in the event; `nil` if it has none.
  var error: Int? {
    switch self {
    case .entry(.attemptFailed(_, _, _, let error), _, _), .entry(.fetchFailed(_, let error), _, _),
      .run(.attemptFailed(_, _, let error), _), .run(.stopped(let error), _),
      .run(.callbackFailed(let error, _), _), .run(.failed(let error), _),
      .persistenceFailed(_, _, let error):
      error
    case .entry, .run, .network, .activity, .trigger, .bulk, .lost: nil
    }
  }
}

extension [Int] {
  /// Applies a step of an entry to the list of runs that change the entry optimistically.
  mutating func step(_ step: QueryRecord.EntryStep) {
    switch step {
    case .layered(let run): append(run)
    case .unlayered(let run): removeAll { $0 == run }
    case .removed: removeAll()
    case .changed, .added, .observed, .unobserved, .fetchStarted, .attemptFailed, .fetchPaused,
      .fetchResumed,
      .fetchSucceeded, .fetchFailed, .fetchCancelled, .written, .invalidated, .reset, .servedStale,
      .adopted:
      break
    }
  }
}
