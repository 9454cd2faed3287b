internal import StreamQuery

extension RecordReplay {
  /// Describes an event, as a line in a history.
  ///
  /// - Parameter event: The event.
  /// - Returns: The line, without the key or the mutation of the event.
  func line(of event: QueryRecord.Event) -> String {
    switch event.kind {
    case .entry(let step, _, let state): line(of: step, state)
    case .run(let step, _): line(of: step)
    case .network(let isOnline): isOnline ? "The network came back" : "The network was lost"
    case .activity(let isActive): isActive ? "The app became active" : "The app became inactive"
    case .trigger(let name): "The trigger \(name) fired"
    case .persistenceFailed(_, let store, let error):
      "Not persisted in \(store) (\(text(ofError: error)))"
    case .bulk(let call, let filter, let matches):
      "\(call)(\(filter)): \(matches.counted("entry", "entries"))"
    case .lost(let count): "\(count.counted("event")) lost"
    }
  }

  private func line(of step: QueryRecord.EntryStep, _ state: QueryRecord.State?) -> String {
    switch step {
    case .changed: return "Changed"
    case .added: return "Added"
    case .removed(let reason, let isKeptEmpty):
      return reason.label + (isKeptEmpty ? ", kept without data for its observers" : "")
    case .observed: return "Observed: \((state?.observerCount ?? 0).counted("observer"))"
    case .unobserved:
      let count = state?.observerCount ?? 0
      return "Unobserved: \(count == 0 ? "no observers" : count.counted("observer"))"
    case .fetchStarted(let fetch):
      return "Fetch \(fetch) started: \(state?.cause?.rawValue ?? "cause unknown")"
    case .attemptFailed(let fetch, let count, let wait, let error):
      return
        "Fetch \(fetch): attempt \(count) failed (\(text(ofError: error))), again after \(wait.spanText)"
    case .fetchPaused(let fetch): return "Fetch \(fetch) paused"
    case .fetchResumed(let fetch): return "Fetch \(fetch) resumed"
    case .fetchSucceeded(let fetch, let isNotModified):
      return isNotModified ? "Fetch \(fetch) found the data unchanged" : "Fetch \(fetch) succeeded"
    case .fetchFailed(let fetch, let error):
      return "Fetch \(fetch) failed (\(text(ofError: error)))"
    case .fetchCancelled(let fetch): return "Fetch \(fetch) cancelled"
    case .written: return "Written"
    case .invalidated: return "Invalidated"
    case .reset: return "Reset"
    case .servedStale(let count): return "Stale data served to \(count.counted("caller"))"
    case .layered(let run): return "Changed optimistically by \(name(ofRun: run))"
    case .unlayered(let run): return "Optimistic change of \(name(ofRun: run)) gone"
    case .adopted: return "Another query took over"
    }
  }

  private func line(of step: QueryRecord.RunStep) -> String {
    switch step {
    case .started: "Run started"
    case .paused: "Run paused"
    case .resumed: "Run resumed"
    case .performing(let attempt): "Run: attempt \(attempt &+ 1) began"
    case .attemptFailed(let count, let wait, let error):
      "Run: attempt \(count) failed (\(text(ofError: error))), again after \(wait.spanText)"
    case .stopped(let error): "Run stopped (\(text(ofError: error)))"
    case .callbackFailed(let error, let callback): "\(callback) failed (\(text(ofError: error)))"
    case .succeeded: "Run succeeded"
    case .failed(let error): "Run failed (\(text(ofError: error)))"
    case .cancelled: "Run cancelled"
    }
  }

  func text(ofError number: Int) -> String {
    errors[number] ?? "an error that is not in the record"
  }

  private func name(ofRun number: Int) -> String {
    runs[number]?.row.mutation ?? "a run that is not in the record"
  }
}

extension QueryEvent.RemovalReason {
  fileprivate var label: String {
    switch self {
    case .expired: "Expired"
    case .evicted: "Evicted"
    case .removed: "Removed"
    case .cleared: "Cleared"
    }
  }
}
