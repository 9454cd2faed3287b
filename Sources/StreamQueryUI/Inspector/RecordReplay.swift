internal import StreamQuery

/// Follows a record part by part, and gives the state of the client at any time in it.
///
/// It stores the newest events. It *folds* each older event, as the client's record does: it drops the event,
/// and stores the state to which the event has led. An event of an entry contains the state of the entry
/// after the event, so the state of a key at a time is that of its newest event by then. No event has to be
/// played again, and a step back costs as much as a step forward.
struct RecordReplay: Sendable {
  /// A stored event, and the totals after it.
  struct Kept: Sendable {
    let event: QueryRecord.Event
    let totals: Totals
  }

  /// A key and its stored events.
  struct KeyHistory: Sendable {
    /// The row of the key; the row's base is the state before the first stored event.
    var row: QueryRecord.Key
    /// The runs that had an optimistic change of the key just before the first stored event.
    var layers: [Int] = []
    /// The newest event that was folded.
    var folded: (number: Int, time: Duration)?
    /// The positions of the stored events.
    var positions = KeptTail<Int>()
  }

  /// A run with its stored events, and the stored events of its optimistic changes.
  struct RunHistory: Sendable {
    /// The row of the run; the row's base is the status before the first stored event.
    var row: QueryRecord.Run
    var progress = RunProgress()
    /// The keys that the run had changed optimistically just before the first stored event.
    var keys: Set<Int> = []
    var positions = KeptTail<Int>()

    /// Whether the run is over, has no stored event, and changes no key any more.
    var isForgettable: Bool { positions.isEmpty && keys.isEmpty && (row.base?.isEnd ?? true) }
  }

  /// The changes that a record has brought.
  struct News: Sendable {
    /// The keys with a present state that may have changed.
    var changed: Set<Int> = []
    /// The keys with events that were folded, so that their earlier states may have changed.
    var folded: Set<Int> = []
    /// The keys that have no entry at any moment any more.
    var forgotten: Set<Int> = []
    /// Whether the replay has forgotten all that it knew before, and has begun again.
    var isAnew = false
  }

  /// The maximum number of stored events.
  let capacity: Int
  /// The time of the newest record.
  private(set) var duration: Duration = .zero
  private(set) var keys: [Int: KeyHistory] = [:]
  private(set) var runs: [Int: RunHistory] = [:]
  private(set) var options: [Int: QueryRecord.Options] = [:]
  private(set) var errors: [Int: String] = [:]
  private(set) var events = KeptTail<Kept>()
  /// The totals before the first stored event.
  private(set) var base = Totals()
  /// The time of the first known moment; `nil` if no event before the first stored one was lost or folded.
  private(set) var lostUntil: Duration?
  /// The number of the newest event so far.
  private var newest = 0
  private var hasBegun = false
  /// If there are more options and errors than this number, the unused ones are removed.
  private var sweepCount = 64

  /// Creates a replay.
  ///
  /// The client may keep more events. It never refers to a key or an error that was forgotten here: an entry
  /// that is made again has another number, each error comes with its event, and options come again.
  ///
  /// - Parameter capacity: The maximum number of stored events.
  init(capacity: Int = 10_000) {
    self.capacity = max(0, capacity)
  }

  /// Takes a record, or the next part of one.
  ///
  /// If the replay has missed events, the part is a whole record, and the replay begins again, because its
  /// states may be wrong.
  ///
  /// - Parameter record: The record or the part.
  /// - Returns: The changes that it brings.
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

  /// Returns the state of a key after all events so far.
  private func present(of key: Int) -> QueryRecord.State? {
    guard let position = keys[key]?.positions.last else { return keys[key]?.row.base }
    guard case .entry(_, _, let state) = events[position].event.kind else { return nil }
    return state
  }

  /// Folds the oldest stored event: drops it, and stores the state to which it has led.
  private mutating func foldFirst(_ news: inout News) {
    guard let first = events.popFirst() else { return }
    base = first.totals
    let event = first.event
    lostUntil = min(event.time, beginning)
    switch event.kind {
    case .entry(let step, let key, let state):
      if case .removed = step {
        // When an entry is removed, its optimistic changes end without events of their own.
        for run in keys[key]?.layers ?? [] {
          runs[run]?.keys.remove(key)
          dropRun(run)
        }
      }
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

  /// Removes a key that has no entry at any moment.
  private mutating func dropKey(_ key: Int, _ news: inout News) {
    // The key is looked up by its index, because a copy of its history would cost more than the check.
    guard let index = keys.index(forKey: key), keys.values[index].row.base == nil,
      keys.values[index].positions.isEmpty
    else { return }
    keys.remove(at: index)
    news.forgotten.insert(key)
  }

  private mutating func dropRun(_ run: Int) {
    if runs[run]?.isForgettable == true { runs[run] = nil }
  }

  /// Removes the options and errors that no event or state refers to.
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
    // The next search comes after so many new rows and events that a search costs no more than adding them
    // did.
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
