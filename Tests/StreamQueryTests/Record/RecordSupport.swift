import StreamQuery

extension QueryRecord {
  /// A line for each event: `1 fetchStarted 1: pending fetching, observers 1, subscribed`.
  var lines: [String] {
    events.map { event in
      switch event.kind {
      case .entry(let step, let key, let state): "\(key) \(words(step)): \(words(state))"
      case .run(let step, let run): "run \(run) \(words(step))"
      case .network(let isOnline): isOnline ? "online" : "offline"
      case .activity(let isActive): isActive ? "active" : "inactive"
      case .trigger(let name): "trigger \(name)"
      case .persistenceFailed(let key, let store, let error):
        "\(store) failed for \(key.map(String.init) ?? "all"): \(text(error))"
      case .bulk(let call, let filter, let matches): "\(call) \(filter) (\(matches))"
      case .lost(let count): "lost \(count)"
      }
    }
  }

  /// The steps alone, as in `["1 added", "1 fetchStarted 1"]`.
  var steps: [String] { lines.map { String($0.prefix { $0 != ":" }) } }

  /// The number of updates of the data after each event of an entry.
  var updates: [Int?] {
    events.map { event in
      if case .entry(_, _, let state) = event.kind { state?.dataUpdateCount } else { nil }
    }
  }

  func text(_ error: Int) -> String { errors.first { $0.number == error }?.text ?? "?" }

  func words(_ state: State?) -> String {
    guard let state else { return "gone" }
    var words = ["\(state.status) \(state.fetchStatus)"]
    if state.observerCount > 0 { words.append("observers \(state.observerCount)") }
    if state.waiterCount > 0 { words.append("callers \(state.waiterCount)") }
    if state.hasData { words.append("data \(state.dataUpdateCount)") }
    if state.failureCount > 0 { words.append("failures \(state.failureCount)") }
    if state.isInvalidated { words.append("invalidated") }
    if state.isLayered { words.append("layered") }
    if let cause = state.cause { words.append(cause.rawValue) }
    return words.joined(separator: ", ")
  }

  private func words(_ step: EntryStep) -> String {
    switch step {
    case .changed: "changed"
    case .added: "added"
    case .removed(let reason, let isKeptEmpty):
      "removed (\(reason.rawValue))" + (isKeptEmpty ? " kept" : "")
    case .observed: "observed"
    case .unobserved: "unobserved"
    case .fetchStarted(let fetch): "fetch \(fetch) started"
    case .attemptFailed(let fetch, let count, let wait, let error):
      "fetch \(fetch) failed \(count) (\(text(error))), again after \(wait)"
    case .fetchPaused(let fetch): "fetch \(fetch) paused"
    case .fetchResumed(let fetch): "fetch \(fetch) resumed"
    case .fetchSucceeded(let fetch, let isNotModified):
      "fetch \(fetch) " + (isNotModified ? "kept" : "succeeded")
    case .fetchFailed(let fetch, let error): "fetch \(fetch) failed (\(text(error)))"
    case .fetchCancelled(let fetch): "fetch \(fetch) cancelled"
    case .written: "written"
    case .invalidated: "invalidated"
    case .reset: "reset"
    case .servedStale(let count): "served stale \(count)"
    case .layered(let run): "layered by \(run)"
    case .unlayered(let run): "unlayered by \(run)"
    case .adopted: "adopted"
    }
  }

  private func words(_ step: RunStep) -> String {
    switch step {
    case .started: "started"
    case .paused: "paused"
    case .resumed: "resumed"
    case .performing(let attempt): "performing \(attempt)"
    case .attemptFailed(let count, let wait, let error):
      "failed \(count) (\(text(error))), again after \(wait)"
    case .stopped(let error): "stopped (\(text(error)))"
    case .callbackFailed(let error, let callback): "\(callback) failed (\(text(error)))"
    case .succeeded: "succeeded"
    case .failed(let error): "failed (\(text(error)))"
    case .cancelled: "cancelled"
    }
  }

  /// The states of all keys after the last event.
  ///
  /// A replay of its own: the bases, and then the state of each event.
  var finalStates: [Int: State] {
    var states: [Int: State] = [:]
    for key in keys { states[key.number] = key.base }
    for event in events {
      if case .entry(_, let key, let state) = event.kind { states[key] = state }
    }
    return states
  }
}
