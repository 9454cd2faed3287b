internal import StreamQuery

/// Decides which moment of a record the inspector shows, the newest or an earlier one, and lists the moment's
/// keys.
struct InspectorScreen: Sendable {
  private(set) var replay: RecordReplay
  private(set) var list = KeyList()
  /// The moment that is shown.
  private(set) var moment: RecordReplay.Moment
  /// The reason why this moment is shown.
  private(set) var choice = Choice.newest
  /// The time of the newest moment.
  private(set) var now: Duration = .zero
  /// Whether a record has arrived since the last tick of the clock; its arrival has set the time.
  private var hasNews = false

  /// The reason why a moment is shown.
  enum Choice: Hashable, Sendable {
    /// The moment is the newest one, and newer ones replace it.
    case newest
    /// The moment was selected by the user.
    case selected
    /// The moment is the first one of the record, because the record has lost the selected moment.
    case first
  }

  /// Creates a screen without a record.
  ///
  /// - Parameter capacity: The maximum number of events that are stored.
  init(capacity: Int = 10_000) {
    replay = RecordReplay(capacity: capacity)
    moment = replay.moment(at: .zero)
  }

  /// Whether the newest moment is shown, and newer ones replace it.
  var isFollowing: Bool { choice == .newest }

  /// Whether no record with any content has arrived yet.
  var isEmpty: Bool { replay.events.isEmpty && replay.keys.isEmpty && replay.runs.isEmpty }

  // MARK: Arrivals

  /// Takes a record, or its next part, and updates moment and list.
  ///
  /// - Complexity: In proportion to the new content.
  mutating func came(_ record: QueryRecord) {
    let former = moment
    let news = replay.feed(record)
    (now, hasNews) = (replay.duration, true)
    if !isFollowing, let lostUntil = replay.lostUntil, former.time < lostUntil {
      choice = .first
      moment = replay.moment(at: replay.beginning)
    } else {
      moment = replay.moment(at: isFollowing ? now : former.time)
    }
    guard !news.isAnew else { return list.rebuild(replay, at: moment) }
    var changed = isFollowing ? news.changed : replay.changedKeys(from: former, to: moment)
    // The events of the former moment were dropped, so the screen now shows the first known moment. Keys with
    // folded events may have another state there.
    if former.end < replay.events.startIndex { changed.formUnion(news.folded) }
    list.update(changed, forgotten: news.forgotten, replay, at: moment)
  }

  /// Moves the time forward by a tick of a clock.
  ///
  /// The tick is ignored if a record has arrived since the tick before. That record has set the time less
  /// than a tick ago, and a whole tick would show a time in the future.
  mutating func ticked(_ duration: Duration) {
    guard !hasNews else { return hasNews = false }
    now += duration
    if isFollowing { moment = replay.moment(at: now) }
  }

  // MARK: Keys

  /// Changes the selection or the order of the listed keys.
  mutating func list(_ listing: KeyListing) { list.list(listing, replay, at: moment) }

  // MARK: Moments

  private var start: Duration { replay.beginning }

  /// The position of the shown moment: 0 is the first moment, and 1 the newest.
  var progress: Double {
    guard !isFollowing, now > start else { return 1 }
    return min(1, max(0, (moment.time - start) / (now - start)))
  }

  /// Shows the moment at a position between 0, the first moment, and 1, which follows the newest.
  ///
  /// - Complexity: The number of events between the former moment and this one.
  mutating func scrub(to progress: Double) {
    // The comparison is false for a progress that is not a number, which then selects the newest moment.
    guard progress < 1 else { return follow() }
    move(to: replay.moment(at: start + (now - start) * max(0, progress)))
    choice = .selected
  }

  /// Shows the moment after an event; has no effect if the event was dropped.
  mutating func scrub(toEvent number: Int) {
    guard let event = replay.moment(after: number) else { return }
    // The moment includes all events of the same transaction.
    move(to: replay.moment(at: event.time))
    choice = .selected
  }

  /// Shows the moment after the next event and all events of the same time; follows the newest moment if
  /// there is no next event.
  mutating func stepForward() {
    guard !isFollowing, moment.end < replay.events.endIndex else { return follow() }
    move(to: replay.moment(at: replay.events[max(moment.end, replay.events.startIndex)].event.time))
    choice = .selected
  }

  /// Shows the moment before the newest shown event; if other events have the same time, before these, too.
  mutating func stepBack() {
    let end = moment.end
    guard end > replay.events.startIndex else { return }
    let time = replay.events[end - 1].event.time
    let former = replay.events.partitionIndex { $0.event.time >= time }
    let isFirst = former == replay.events.startIndex
    move(to: replay.moment(at: isFirst ? start : replay.events[former - 1].event.time))
    choice = .selected
  }

  /// Shows the newest moment, and each newer one when it comes.
  mutating func follow() {
    choice = .newest
    move(to: replay.moment(at: now))
  }

  private mutating func move(to other: RecordReplay.Moment) {
    list.update(replay.changedKeys(from: moment, to: other), replay, at: other)
    moment = other
  }
}
