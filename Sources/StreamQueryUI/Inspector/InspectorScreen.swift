internal import StreamQuery

/// Decides what the inspector shows: the newest moment of a record, or an earlier one, and the keys of it.
struct InspectorScreen: Sendable {
  private(set) var replay: RecordReplay
  private(set) var list = KeyList()
  /// The moment that is shown.
  private(set) var moment: RecordReplay.Moment
  /// The reason for which this moment is shown.
  private(set) var choice = Choice.newest
  /// The time of the newest moment.
  private(set) var now: Duration = .zero
  /// Whether a record came since the last tick, with the time.
  private var hasNews = false

  /// The reason for which a moment is shown.
  enum Choice: Hashable, Sendable {
    /// It is the newest one, and newer ones follow.
    case newest
    /// Somebody has selected it.
    case selected
    /// It is the first one of the record, which has lost the selected one.
    case first
  }

  /// Creates a screen without a record.
  ///
  /// - Parameter capacity: The number of events that are kept.
  init(capacity: Int = 10_000) {
    replay = RecordReplay(capacity: capacity)
    moment = replay.moment(at: .zero)
  }

  /// Whether the newest moment is shown, also when newer ones come.
  var isFollowing: Bool { choice == .newest }

  /// Whether no record came yet that has anything in it.
  var isEmpty: Bool { replay.events.isEmpty && replay.keys.isEmpty && replay.runs.isEmpty }

  // MARK: Arrivals

  /// A record or a part of one came.
  ///
  /// - Complexity: In proportion to what is new.
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
    // If the moment is so early that its events are no longer kept, the screen shows the first
    // moment that is known.
    if former.end < replay.events.startIndex { changed.formUnion(news.folded) }
    list.update(changed, forgotten: news.forgotten, replay, at: moment)
  }

  /// A tick of a clock: time passed since the last one.
  ///
  /// If a record came in between, it has told the time, and an unknown part of the tick is left. Then the tick
  /// does not count, so that the shown time is never ahead.
  mutating func ticked(_ duration: Duration) {
    guard !hasNews else { return hasNews = false }
    now += duration
    if isFollowing { moment = replay.moment(at: now) }
  }

  // MARK: Keys

  /// Lists other keys, or in another order.
  mutating func list(_ listing: KeyListing) { list.list(listing, replay, at: moment) }

  // MARK: Moments

  private var start: Duration { replay.beginning }

  /// The place of the shown moment between the first one, 0, and the newest, 1.
  var progress: Double {
    guard !isFollowing, now > start else { return 1 }
    return min(1, max(0, (moment.time - start) / (now - start)))
  }

  /// Shows the moment at a place between the first one, 0, and the newest, 1, which is followed then.
  ///
  /// - Complexity: The number of events between this moment and the former one.
  mutating func scrub(to progress: Double) {
    // A progress that is not a number is not below 1, so it also shows the newest moment.
    guard progress < 1 else { return follow() }
    move(to: replay.moment(at: start + (now - start) * max(0, progress)))
    choice = .selected
  }

  /// Shows the moment after an event; does nothing if the event is not kept.
  mutating func scrub(toEvent number: Int) {
    guard let event = replay.moment(after: number) else { return }
    // The moment includes everything that happened in the same transaction.
    move(to: replay.moment(at: event.time))
    choice = .selected
  }

  /// Shows the moment after the next events, which happened together; without any, it follows.
  mutating func stepForward() {
    guard !isFollowing, moment.end < replay.events.endIndex else { return follow() }
    move(to: replay.moment(at: replay.events[max(moment.end, replay.events.startIndex)].event.time))
    choice = .selected
  }

  /// Shows the moment before the last events, which happened together.
  mutating func stepBack() {
    let end = moment.end
    guard end > replay.events.startIndex else { return }
    let time = replay.events[end - 1].event.time
    let former = replay.events.partitionIndex { $0.event.time >= time }
    let isFirst = former == replay.events.startIndex
    move(to: replay.moment(at: isFirst ? start : replay.events[former - 1].event.time))
    choice = .selected
  }

  /// Shows the newest moment, and goes on with newer ones.
  mutating func follow() {
    choice = .newest
    move(to: replay.moment(at: now))
  }

  private mutating func move(to other: RecordReplay.Moment) {
    list.update(replay.changedKeys(from: moment, to: other), replay, at: other)
    moment = other
  }
}
