internal import StreamQuery

/// Follows a record and its parts, and knows the state of the client at any time in it.
///
/// It keeps the newest events, and folds older ones into the state before them, as the client's record does. Each
/// event of an entry has the state after it, so the state of a key at some time is that of its newest event by
/// then. No event has to be played again, and a look backwards costs as much as one forwards.
struct RecordReplay: Sendable {
  /// An event, and the totals after it.
  struct Kept: Sendable {
    let event: QueryRecord.Event
    let totals: Totals
  }

  /// A key and its events.
  struct KeyHistory: Sendable {
    /// The row of the key; its base is the state before the first event that is kept.
    var row: QueryRecord.Key
    /// The runs that had a layer on the key before the first event that is kept.
    var layers: [Int] = []
    /// The newest event that is not kept.
    var folded: (number: Int, time: Duration)?
    /// The positions of the events that are kept.
    var positions = KeptTail<Int>()
  }

  /// A run and its events, those of its layers as well.
  struct RunHistory: Sendable {
    /// The row of the run; its base is the status before the first event that is kept.
    var row: QueryRecord.Run
    var progress = RunProgress()
    /// The keys on which it had layers before the first event that is kept.
    var keys: Set<Int> = []
    var positions = KeptTail<Int>()

    /// Whether it is over, and no event of it is kept.
    var isForgettable: Bool { positions.isEmpty && (row.base?.isEnd ?? true) }
  }

  /// The changes that a record brought.
  struct News: Sendable {
    /// The keys whose state may be another one now.
    var changed: Set<Int> = []
    /// The keys with events that are not kept any more, whose earlier states may be other ones.
    var folded: Set<Int> = []
    /// The keys that no moment has any more.
    var forgotten: Set<Int> = []
    /// Whether all that was known before is forgotten.
    var isAnew = false
  }

  /// The number of events that are kept.
  let capacity: Int
  /// The time of the newest record.
  private(set) var duration: Duration = .zero
  private(set) var keys: [Int: KeyHistory] = [:]
  private(set) var runs: [Int: RunHistory] = [:]
  private(set) var options: [Int: QueryRecord.Options] = [:]
  private(set) var errors: [Int: String] = [:]
  private(set) var events = KeptTail<Kept>()
  /// The totals before the first event that is kept.
  private(set) var base = Totals()
  /// The time of the first moment that is known; `nil` if nothing before the first event is lost or folded.
  private(set) var lostUntil: Duration?
  /// The number of the newest event that was fed.
  private var newest = 0
  private var hasBegun = false
  /// The number of options and errors after which unused ones are looked for.
  private var sweepCount = 64

  /// Creates a replay.
  ///
  /// - Parameter capacity: The number of events that are kept; at least as many as the client's record has, or
  ///   its parts refer to errors and options that are forgotten here.
  init(capacity: Int = 10_000) {
    self.capacity = max(0, capacity)
  }

  /// Takes a record, or the next part of one.
  ///
  /// A part after lost events is a whole record again, because states that were known are not right any more.
  ///
  /// - Parameter record: The record or part.
  /// - Returns: The changes.
  /// - Complexity: In proportion to the rows and events of the part.
  mutating func feed(_ record: QueryRecord) -> News {
    var news = News()
    if hasBegun, record.lostCount > 0 {
      self = RecordReplay(capacity: capacity)
      news.isAnew = true
    }
    if !hasBegun {
      (base.isOnline, base.isActive) = (record.base.isOnline, record.base.isActive)
      base.lost = record.lostCount
      if record.lostCount > 0 {
        lostUntil = (record.events.first?.time ?? record.duration) - .microseconds(1)
      }
      hasBegun = true
    }
    duration = max(duration, record.duration)
    addRows(of: record, &news)
    for event in record.events where event.number > newest {
      newest = event.number
      append(event, &news)
    }
    while events.count > capacity { foldFirst(&news) }
    for key in record.keys { dropKey(key.number, &news) }
    for run in record.runs { dropRun(run.number) }
    if options.count + errors.count > sweepCount { sweep() }
    return news
  }

  private mutating func addRows(of record: QueryRecord, _ news: inout News) {
    for row in record.options { options[row.number] = row }
    for row in record.errors { errors[row.number] = row.text }
    for row in record.runs where runs[row.number] == nil { runs[row.number] = RunHistory(row: row) }
    keys.reserveCapacity(keys.count + record.keys.count)
    for row in record.keys where keys.index(forKey: row.number) == nil {
      keys[row.number] = KeyHistory(row: row)
      guard let state = row.base else { continue }
      base.add(state, 1)
      news.changed.insert(row.number)
    }
  }

  private mutating func append(_ event: QueryRecord.Event, _ news: inout News) {
    let position = events.endIndex
    var totals = events.last?.totals ?? base
    switch event.kind {
    case .entry(let step, let key, let state):
      guard keys[key] != nil else { return }
      if let before = present(of: key) { totals.add(before, -1) }
      if let state { totals.add(state, 1) }
      keys[key]?.positions.append(position)
      if let run = step.run { runs[run]?.positions.append(position) }
      news.changed.insert(key)
    case .run(_, let run):
      guard runs[run] != nil else { return }
      runs[run]?.positions.append(position)
    case .network(let isOnline): totals.isOnline = isOnline
    case .activity(let isActive): totals.isActive = isActive
    case .lost(let count): totals.lost &+= count
    case .trigger, .persistenceFailed, .bulk: break
    }
    events.append(Kept(event: event, totals: totals))
  }

  /// The state of a key after all events so far.
  private func present(of key: Int) -> QueryRecord.State? {
    guard let position = keys[key]?.positions.last else { return keys[key]?.row.base }
    guard case .entry(_, _, let state) = events[position].event.kind else { return nil }
    return state
  }

  /// Folds the oldest event into the state before the others.
  private mutating func foldFirst(_ news: inout News) {
    guard let first = events.popFirst() else { return }
    base = first.totals
    let event = first.event
    lostUntil = min(event.time, beginning)
    switch event.kind {
    case .entry(let step, let key, let state):
      keys[key]?.fold(event, step, state)
      news.folded.insert(key)
      dropKey(key, &news)
      if let run = step.run {
        runs[run]?.fold(event)
        dropRun(run)
      }
    case .run(_, let run):
      runs[run]?.fold(event)
      dropRun(run)
    case .network, .activity, .trigger, .persistenceFailed, .bulk, .lost: break
    }
  }

  /// Forgets a key that is gone at all times.
  private mutating func dropKey(_ key: Int, _ news: inout News) {
    // The key is found by its index, because a copy of its history would cost more than the
    // question.
    guard let index = keys.index(forKey: key), keys.values[index].row.base == nil,
      keys.values[index].positions.isEmpty
    else { return }
    keys.remove(at: index)
    news.forgotten.insert(key)
  }

  private mutating func dropRun(_ run: Int) {
    if runs[run]?.isForgettable == true { runs[run] = nil }
  }

  /// Forgets the options and errors that nothing refers to.
  private mutating func sweep() {
    var used: (options: Set<Int>, errors: Set<Int>) = ([], [])
    for history in keys.values {
      if let number = history.row.base?.options { used.options.insert(number) }
    }
    for history in runs.values {
      if let number = history.progress.error { used.errors.insert(number) }
    }
    for kept in events {
      if case .entry(_, _, let state?) = kept.event.kind, let number = state.options {
        used.options.insert(number)
      }
      if let number = kept.event.kind.error { used.errors.insert(number) }
    }
    options = options.filter { used.options.contains($0.key) }
    errors = errors.filter { used.errors.contains($0.key) }
    // The next search comes after so many new rows and events that its cost is no more than theirs.
    sweepCount = 64 + 2 * (options.count + errors.count) + events.count + keys.count
  }
}

extension RecordReplay.KeyHistory {
  fileprivate mutating func fold(
    _ event: QueryRecord.Event,
    _ step: QueryRecord.EntryStep,
    _ state: QueryRecord.State?
  ) {
    _ = positions.popFirst()
    row.base = state
    layers.step(step)
    folded = (event.number, event.time)
  }
}

extension RecordReplay.RunHistory {
  fileprivate mutating func fold(_ event: QueryRecord.Event) {
    _ = positions.popFirst()
    row.base = progress.step(event, from: row.base)
    switch event.kind {
    case .entry(.layered, let key, _): keys.insert(key)
    case .entry(.unlayered, let key, _): keys.remove(key)
    case .entry, .run, .network, .activity, .trigger, .persistenceFailed, .bulk, .lost: break
    }
  }
}
