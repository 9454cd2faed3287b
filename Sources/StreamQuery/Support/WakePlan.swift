/// Decides which tasks sleep for the deadlines of a client, and until when.
///
/// A sleep that has begun is never cancelled: the runtime keeps a cancelled sleep until its
/// original time, so each short deadline before a long one would leave memory behind. Instead the
/// longer sleeper stays below the shorter one. When a sleeper wakes, the notified code handles the
/// deadlines that are due and arms the next one.
///
/// The sleepers are a stack with the earliest on top. The first few sleep exactly as long as
/// requested. Each further one sleeps at most half as long as the one below it: if its deadline is
/// later than that, it wakes early and the deadline is armed again. So no deadline is late, and
/// there are never more sleepers than ``most``.
struct WakePlan: Equatable, Sendable {
  /// The number of a task; numbers are never reused.
  typealias TaskID = Int

  struct Sleeper: Equatable, Sendable {
    let task: TaskID
    let until: Instant
    /// The number of times that the clock refused this sleep.
    var failures = 0
  }

  /// The action for a deadline.
  enum Arming: Equatable, Sendable {
    /// Do nothing: a sleeper wakes no later than the deadline, or the timer has ended.
    case covered
    /// Start a task that sleeps until this time.
    case begin(TaskID, until: Instant)
    /// Let the resting task sleep until this time.
    case reuse(TaskID, until: Instant)
  }

  /// The action after the clock threw.
  enum Failure: Equatable, Sendable {
    /// Sleep until this time again.
    case again(Instant)
    /// Give up the deadline; `isNews` says whether it is the first one since a sleep last succeeded.
    case givenUp(isNews: Bool)
    /// Do nothing: the timer has ended.
    case over
  }

  /// The number of sleepers that sleep exactly as long as requested.
  static let exactCount = 4
  /// The number of times that one sleep is tried with a clock that throws.
  static let attempts = 3
  /// The most sleepers at once: 100 years of nanoseconds can be halved 62 times.
  static let most = exactCount + 62

  /// The sleeping tasks, the earliest last.
  private(set) var sleepers: [Sleeper] = []
  /// The tasks whose sleep has ended and that are not resting yet.
  private var awake: [TaskID] = []
  /// The task that waits to be armed again.
  private(set) var resting: TaskID?
  private var lastTask: TaskID = 0
  private var hasGivenUp = false
  private(set) var isOver = false

  /// Plans a wake-up for a deadline.
  ///
  /// - Parameters:
  ///   - instant: The time of the deadline.
  ///   - now: The current time. A wrong one never makes a wake-up late.
  /// - Returns: The action for the deadline.
  mutating func armed(_ instant: Instant, at now: Instant) -> Arming {
    guard !isOver else { return .covered }
    var until = instant
    if let top = sleepers.last {
      // There are this many sleepers only if the clock stands still or jumps, and then all of them
      // are due.
      guard instant < top.until, sleepers.count < Self.most else { return .covered }
      let left = top.until.nanoseconds - now.nanoseconds
      if sleepers.count >= Self.exactCount, left > 0 {
        until = min(instant, Instant(nanoseconds: now.nanoseconds + left / 2))
      }
    }
    if let task = resting.take() {
      sleepers.append(Sleeper(task: task, until: until))
      return .reuse(task, until: until)
    }
    lastTask += 1
    sleepers.append(Sleeper(task: lastTask, until: until))
    return .begin(lastTask, until: until)
  }

  /// Records that a task's sleep is over.
  ///
  /// Call this before the notification, so that a deadline armed in response does not count on this task any
  /// more. Other tasks that are due wake separately.
  ///
  /// - Parameter task: The task.
  /// - Returns: Whether to notify the client.
  mutating func woke(_ task: TaskID) -> Bool {
    guard !isOver else { return false }
    hasGivenUp = false
    wake(task)
    return true
  }

  /// Decides what a task does after the clock threw instead of waiting.
  ///
  /// - Parameter task: The task that slept.
  /// - Returns: The action.
  mutating func failed(_ task: TaskID) -> Failure {
    guard !isOver, let index = sleepers.firstIndex(where: { $0.task == task }) else { return .over }
    sleepers[index].failures += 1
    guard sleepers[index].failures >= Self.attempts else { return .again(sleepers[index].until) }
    wake(task)
    defer { hasGivenUp = true }
    return .givenUp(isNews: !hasGivenUp)
  }

  private mutating func wake(_ task: TaskID) {
    sleepers.removeAll { $0.task == task }
    awake.append(task)
  }

  /// Lets a task rest after it has woken and has nothing left to do.
  ///
  /// - Parameter task: The task.
  /// - Returns: Whether the task waits to be armed again; otherwise it ends, because one resting task is
  ///   enough.
  mutating func rested(_ task: TaskID) -> Bool {
    awake.removeAll { $0 == task }
    guard !isOver, resting == nil else { return false }
    resting = task
    return true
  }

  /// Whether a task is asleep, awake or resting.
  func knows(_ task: TaskID) -> Bool {
    resting == task || awake.contains(task) || sleepers.contains { $0.task == task }
  }

  /// Ends the plan: there are no further wake-ups, and no task is known.
  mutating func ended() {
    self = WakePlan()
    isOver = true
  }
}
