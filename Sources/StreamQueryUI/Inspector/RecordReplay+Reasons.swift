internal import StreamQuery

extension RecordReplay {
  /// Answers the question *Why did this refetch?* in a sentence.
  ///
  /// - Parameter number: The number of the event that started the fetch, or of a later event of the fetch.
  /// - Returns: A sentence; `nil` if the event is not about a fetch, or was dropped.
  /// - Complexity: The number of events, at worst.
  func whyFetched(_ number: Int) -> String? {
    guard let position = position(of: number),
      case .entry(let step, let key, _) = events[position].event.kind,
      let fetch = step.fetch, let history = keys[key]
    else { return nil }
    let start = history.positions.last {
      $0 <= position && events[$0].event.kind.isStart(of: fetch)
    }
    guard let start else { return "The record does not go back to the start of this fetch." }
    return FetchReason(replay: self, key: key, position: start).sentence
  }

  /// Answers the question *Who observes this?* with the number of observers, and since when.
  ///
  /// - Parameters:
  ///   - key: The number of the key.
  ///   - moment: The moment.
  /// - Returns: A sentence, or two.
  /// - Complexity: The number of events about the key, at worst.
  func whoObserves(_ key: Int, at moment: Moment) -> String {
    guard let history = keys[key], let state = state(of: history, before: moment.end) else {
      return "It is not in the cache."
    }
    let isObserved = state.observerCount > 0
    let since = since(isObserved: isObserved, history, moment).map { (moment.time - $0).spanText }
    var text: String
    if isObserved {
      text =
        state.observerCount == 1
        ? "1 observer observes it" : "\(state.observerCount) observers observe it"
      if !state.isActive {
        text += state.observerCount == 1 ? ", and it is disabled" : ", and all are disabled"
      }
      text += "."
      if let since { text += " It has been observed for \(since)." }
    } else {
      text = "Nobody observes it."
      if let since { text += " The last observer left \(since) ago." }
    }
    switch state.waiterCount {
    case 0: break
    case 1: text += " 1 caller waits for its fetch."
    case let count: text += " \(count) callers wait for its fetch."
    }
    return text
  }

  /// Returns the time since which a key has been observed, or has not been observed; `nil` if the events
  /// before the moment do not show it.
  private func since(isObserved: Bool, _ history: KeyHistory, _ moment: Moment) -> Duration? {
    var before = history.row.base
    var since: Duration?
    for position in history.positions.prefix(while: { $0 < moment.end }).reversed() {
      guard case .entry(_, _, let state) = events[position].event.kind else { break }
      guard let state, (state.observerCount > 0) == isObserved else {
        before = state
        break
      }
      since = events[position].event.time
    }
    let wasObserved = before.map { $0.observerCount > 0 } ?? false
    return wasObserved == isObserved ? nil : since
  }
}

extension QueryRecord.Kind {
  fileprivate func isStart(of fetch: Int) -> Bool {
    if case .entry(.fetchStarted(fetch), _, _) = self { true } else { false }
  }
}

/// Explains in a sentence why a fetch was started.
private struct FetchReason {
  let replay: RecordReplay
  let key: Int
  /// The position of the event that started the fetch.
  let position: Int

  private var time: Duration { replay.events[position].event.time }

  private var stateAfter: QueryRecord.State? {
    if case .entry(_, _, let state) = replay.events[position].event.kind { state } else { nil }
  }

  var sentence: String {
    switch stateAfter?.cause {
    case nil: return "The record does not say why."
    case .subscribed: return "A stream subscribed\(condition)."
    case .invalidated: return invalidation
    case .interval:
      guard case .after(let interval)? = options(of: stateAfter)?.refetchInterval else {
        return "Its refetch interval passed."
      }
      return "Its refetch interval of \(interval.spanText) passed."
    case .active:
      let gap = pause { if case .activity(let isActive) = $0 { isActive } else { nil } }
      return "The app became active\(gap.map { " after \($0.spanText)" } ?? "")\(condition)."
    case .reconnect:
      let gap = pause { if case .network(let isOnline) = $0 { isOnline } else { nil } }
      return
        "The network came back\(gap.map { " after \($0.spanText) offline" } ?? "")\(condition)."
    case .manual:
      return bulk(.refetch, before: position).map { "\($0) asked for it." }
        ?? "Code asked for it: fetch, ensure, prefetch or refetch."
    case .reset: return "It was reset\(bulk(.reset, before: position).map { ", by \($0)" } ?? "")."
    case .trigger: return trigger.map { "The trigger \($0) fired." } ?? "A trigger fired."
    }
  }

  private func options(of state: QueryRecord.State?) -> QueryRecord.Options? {
    state?.options.flatMap { replay.options[$0] }
  }

  /// The part of the sentence about the data's state before the fetch.
  private var condition: String {
    guard let history = replay.keys[key], let state = replay.state(of: history, before: position),
      state.hasData
    else { return ", and there was no data" }
    let staleTime = options(of: state)?.staleTime
    if staleTime == .static { return "" }
    if state.isInvalidated { return ", and the data was invalidated" }
    guard case .after(let span)? = staleTime, let updatedAt = state.updatedAt else { return "" }
    let overdue = max(.zero, time - updatedAt) - span
    return overdue >= .zero ? ", and the data had been stale for \(overdue.spanText)" : ""
  }

  private var invalidation: String {
    let mark = replay.keys[key]?.positions.last {
      guard $0 < position, case .entry(.invalidated, _, _) = replay.events[$0].event.kind else {
        return false
      }
      return true
    }
    let cause = mark ?? position
    let past = time - replay.events[cause].event.time
    let ago = past >= .milliseconds(1) ? " \(past.spanText) before" : ""
    return "It was invalidated\(ago)\(bulk(.invalidate, before: cause).map { ", by \($0)" } ?? "")."
  }

  /// Returns the call of a kind, such as `refetch(.all)`, that comes before one of its effects on the key, in
  /// the same transaction.
  ///
  /// A call for a single key counts only if it names this key.
  private func bulk(_ call: QueryRecord.BulkCall, before effect: Int) -> String? {
    newest(before: effect) {
      guard case .bulk(call, let filter, _) = $0 else { return nil }
      return concerns(filter, ".key(") ? "\(call)(\(filter))" : nil
    }
  }

  /// The name of the newest trigger in the second before the fetch that is not one of another key.
  private var trigger: String? {
    newest(before: position, within: .seconds(1)) {
      guard case .trigger(let name) = $0 else { return nil }
      return concerns(name, "refetch(on:) of ") ? name : nil
    }
  }

  /// Whether a text names this key or none; a text that names a key does so after the given words.
  private func concerns(_ text: String, _ words: String) -> Bool {
    !text.hasPrefix(words) || text.hasPrefix(words + (replay.keys[key]?.row.text ?? ""))
  }

  /// Calls a closure for the events before another one that are older by at most a span, newest first, and
  /// returns the first text that the closure returns.
  private func newest(
    before end: Int,
    within span: Duration = .zero,
    _ text: (QueryRecord.Kind) -> String?
  ) -> String? {
    let earliest = replay.events[end].event.time - span
    for index in (replay.events.startIndex..<end).reversed() {
      let event = replay.events[index].event
      guard event.time >= earliest else { return nil }
      if let text = text(event.kind) { return text }
    }
    return nil
  }

  /// Returns how long a condition, such as being online, was lost before it last returned; `nil` if the
  /// events before the fetch do not show a loss.
  private func pause(_ isThere: (QueryRecord.Kind) -> Bool?) -> Duration? {
    var back: Duration?
    for index in (replay.events.startIndex...position).reversed() {
      let event = replay.events[index].event
      switch (isThere(event.kind), back) {
      case (true, nil): back = event.time
      case (false, let back?): return back - event.time
      case (true, _), (false, nil), (nil, _): break
      }
    }
    return nil
  }
}
