import StreamQuery

extension QueryEvent.Kind {
  /// The message, which is the same for all events of a kind.
  var message: String {
    switch self {
    case .added: "entry added"
    case .removed: "entry removed"
    case .observed: "observer added"
    case .unobserved: "observer left"
    case .observerResultsUpdated: "results of observers updated"
    case .observerOptionsUpdated: "options of an observer updated"
    case .fetchStarted: "fetch started"
    case .attemptFailed: "attempt failed, will be retried"
    case .fetchPaused: "fetch paused"
    case .fetchResumed: "fetch resumed"
    case .fetchSucceeded: "fetch succeeded"
    case .fetchFailed: "fetch failed"
    case .fetchCancelled: "fetch cancelled"
    case .written: "value written"
    case .lookup: "lookup"
    case .servedStale: "served stale data"
    case .invalidated: "entry invalidated"
    case .reset: "entry reset"
    case .mutation(let step): step.message
    case .persistenceFailed: "persistence failed"
    case .eventsDropped: "events missed"
    }
  }

  /// The details of the event, by name.
  ///
  /// - Parameter describe: Makes the text of an error.
  /// - Returns: The names and values.
  func details(_ describe: (any Error) -> String) -> [(name: String, value: String)] {
    switch self {
    case .removed(let reason): [("reason", reason.rawValue)]
    case .observed(let count), .unobserved(let count): [("observers", "\(count)")]
    case .attemptFailed(let error, let count, let wait):
      Self.failure(describe(error), count, wait)
    case .fetchFailed(let error), .persistenceFailed(let error): [("error", describe(error))]
    case .lookup(let lookup): [("result", lookup.rawValue)]
    case .mutation(let step): step.details(describe)
    case .eventsDropped(let count), .servedStale(let count): [("count", "\(count)")]
    case .added, .observerResultsUpdated, .observerOptionsUpdated, .fetchStarted, .fetchPaused,
      .fetchResumed, .fetchSucceeded, .fetchCancelled, .written, .invalidated, .reset:
      []
    }
  }

  fileprivate static func failure(
    _ error: String,
    _ count: Int,
    _ wait: Duration
  ) -> [(name: String, value: String)] {
    [("error", error), ("attempt", "\(count)"), ("retry-after", "\(wait.inSeconds)")]
  }
}

extension QueryEvent.MutationStep {
  fileprivate var message: String {
    switch self {
    case .started: "mutation started"
    case .paused: "mutation paused"
    case .resumed: "mutation resumed"
    case .performing: "mutation performing"
    case .attemptFailed: "mutation attempt failed, will be retried"
    case .stopped: "mutation stopped, waits for an answer"
    case .callbackFailed: "mutation callback failed"
    case .succeeded: "mutation succeeded"
    case .failed: "mutation failed"
    case .cancelled: "mutation cancelled"
    }
  }

  fileprivate func details(
    _ describe: (any Error) -> String
  ) -> [(name: String, value: String)] {
    switch self {
    case .performing(let attempt): [("attempt", "\(attempt + 1)")]
    case .attemptFailed(let error, let count, let wait):
      QueryEvent.Kind.failure(describe(error), count, wait)
    case .callbackFailed(let error, let callback):
      [("error", describe(error)), ("callback", callback)]
    case .failed(let error), .stopped(let error): [("error", describe(error))]
    case .started, .paused, .resumed, .succeeded, .cancelled: []
    }
  }
}
