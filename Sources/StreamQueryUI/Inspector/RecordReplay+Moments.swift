internal import StreamQuery

extension RecordReplay {
  /// A time in a record, with the number of events until then and their totals.
  struct Moment: Hashable, Sendable {
    let time: Duration
    /// The position of the first event after the moment.
    let end: Int
    let totals: Totals
  }

  /// The state of a key at a moment.
  struct KeyRow: Hashable, Sendable, Identifiable {
    let key: QueryRecord.Key
    let state: QueryRecord.State
    /// The age of the data; `nil` without data.
    let age: Duration?
    /// The stale time of the key's query; `nil` if it is not known.
    let staleTime: QueryRecord.Span?
    /// The remaining part of the stale time, from 1 to 0; `nil` if it is not known.
    let freshness: Double?
    /// The newest event about the key; `nil` if there is none.
    let last: Last?

    var id: Int { key.number }

    /// Whether the data is certainly stale.
    var isKnownStale: Bool { freshness == 0 || (freshness == nil && state.isInvalidated) }
  }

  /// The number and time of the newest event about a key.
  struct Last: Hashable, Sendable {
    let number: Int
    let time: Duration
  }

  /// The state of a run at a moment.
  struct RunRow: Hashable, Sendable, Identifiable {
    let run: QueryRecord.Run
    let status: QueryRecord.RunStatus
    let failureCount: Int
    let error: String?
    /// The numbers of the keys that the run changes optimistically.
    let layers: [Int]

    var id: Int { run.number }
  }

  /// Returns the moment at a time, which includes all events of that time.
  ///
  /// - Complexity: The logarithm of the number of events.
  func moment(at time: Duration) -> Moment {
    moment(at: time, before: events.partitionIndex { $0.event.time > time })
  }

  /// Returns the moment after an event; `nil` if the event was dropped.
  func moment(after number: Int) -> Moment? {
    guard let position = position(of: number) else { return nil }
    return moment(at: events[position].event.time, before: position + 1)
  }

  private func moment(at time: Duration, before end: Int) -> Moment {
    let totals = end > events.startIndex ? events[end - 1].totals : base
    return Moment(time: time, end: end, totals: totals)
  }

  /// The time of the first event that was not dropped; if there is no such event, the time of the newest
  /// record.
  var start: Duration { events.first?.event.time ?? duration }

  /// The time just before the first event that was not dropped.
  var beginning: Duration { start - .microseconds(1) }

  /// Returns the position of an event; `nil` if the event was dropped.
  func position(of number: Int) -> Int? {
    let position = events.partitionIndex { $0.event.number >= number }
    return position < events.endIndex && events[position].event.number == number ? position : nil
  }

  /// Returns the keys with a state that may differ between two moments.
  ///
  /// - Complexity: The number of events between the moments.
  func changedKeys(from one: Moment, to other: Moment) -> Set<Int> {
    let (low, high) = (max(min(one.end, other.end), events.startIndex), max(one.end, other.end))
    var changed: Set<Int> = []
    for position in low..<max(low, min(high, events.endIndex)) {
      if case .entry(_, let key, _) = events[position].event.kind { changed.insert(key) }
    }
    return changed
  }

  // MARK: Keys

  /// Returns the state of a key; `nil` if the key has no entry at the moment.
  ///
  /// - Complexity: The logarithm of the number of events about the key.
  func row(of key: Int, at moment: Moment) -> KeyRow? {
    guard let history = keys[key], let state = state(of: history, before: moment.end) else {
      return nil
    }
    let age = state.hasData ? state.updatedAt.map { max(.zero, moment.time - $0) } : nil
    var last = history.folded.map { Last(number: $0.number, time: $0.time) }
    if let event = lastEvent(of: history, before: moment.end) {
      last = Last(number: event.number, time: event.time)
    }
    let staleTime = state.options.flatMap { options[$0]?.staleTime }
    return KeyRow(
      key: history.row,
      state: state,
      age: age,
      staleTime: staleTime,
      freshness: age.flatMap {
        staleTime?.freshness(atAge: $0, isInvalidated: state.isInvalidated)
      },
      last: last
    )
  }

  /// Returns the runs that change a key's data optimistically, in the order of their changes.
  ///
  /// - Complexity: The number of events about the key.
  func layers(on key: Int, at moment: Moment) -> [Int] {
    guard let history = keys[key], state(of: history, before: moment.end)?.isLayered == true else {
      return []
    }
    var layers = history.layers
    for position in history.positions.prefix(while: { $0 < moment.end }) {
      if case .entry(let step, _, _) = events[position].event.kind { layers.step(step) }
    }
    return layers
  }

  /// Returns the events about a key until a moment, newest first.
  func history(of key: Int, at moment: Moment) -> [QueryRecord.Event] {
    guard let history = keys[key] else { return [] }
    return history.positions.prefix { $0 < moment.end }.reversed().map { events[$0].event }
  }

  /// Whether events about a key were dropped.
  func hasFormerEvents(of key: Int) -> Bool {
    // A key with a state before its first stored event was added by an event that was dropped.
    keys[key].map { $0.folded != nil || $0.row.base != nil } ?? false
  }

  func state(of history: KeyHistory, before end: Int) -> QueryRecord.State? {
    guard let event = lastEvent(of: history, before: end) else { return history.row.base }
    guard case .entry(_, _, let state) = event.kind else { return nil }
    return state
  }

  private func lastEvent(of history: KeyHistory, before end: Int) -> QueryRecord.Event? {
    let index = history.positions.partitionIndex { $0 >= end }
    guard index > history.positions.startIndex else { return nil }
    return events[history.positions[index - 1]].event
  }

  // MARK: Runs

  /// Returns the state of a run; `nil` if the run was not started before the moment.
  ///
  /// - Complexity: The number of events about the run, and about the keys that it changes.
  func row(ofRun number: Int, at moment: Moment) -> RunRow? {
    guard let history = runs[number] else { return nil }
    var (status, progress, keys) = (history.row.base, history.progress, history.keys)
    for position in history.positions.prefix(while: { $0 < moment.end }) {
      let event = events[position].event
      status = progress.step(event, from: status)
      if case .entry(.layered, let key, _) = event.kind { keys.insert(key) }
    }
    guard let status else { return nil }
    return RunRow(
      run: history.row,
      status: status,
      failureCount: progress.failureCount,
      error: progress.error.flatMap { errors[$0] },
      layers: keys.filter { layers(on: $0, at: moment).contains(number) }.sorted()
    )
  }
}

extension QueryRecord.Span {
  /// Returns the remaining part of a stale time; `nil` if it is not known.
  fileprivate func freshness(atAge age: Duration, isInvalidated: Bool) -> Double? {
    switch self {
    case .static: return 1
    case _ where isInvalidated: return 0
    case .dynamic: return nil
    case .never: return 1
    case .after(let span): return span > .zero ? max(0, 1 - age / span) : 0
    }
  }
}
