/// Decides which tasks sleep for the deadlines of a client, and until when.
///
/// A sleep that has begun is never cut short: the runtime keeps a cancelled one until its own time,
/// so each short deadline before a long one would leave something behind. The longer sleeper lives
/// on below the shorter one instead; when it wakes, whoever is told looks what is due and arms again.
///
/// The sleepers are a stack with the earliest on top. The first few sleep until exactly what was
/// asked for. A further one sleeps at most half as long as the one below it: if its deadline comes
/// later than that it wakes early, and the deadline is armed again. So no deadline is late, and there
/// are never more sleepers than ``most``, whatever is armed.
struct WakePlan: Equatable, Sendable {
  /// Names a task; numbers are not used again.
  typealias TaskID = Int

  struct Sleeper: Equatable, Sendable {
    let task: TaskID
    let until: Moment
    /// How often the clock has refused this sleep.
    var failures = 0
  }

  /// What is to be done for a deadline.
  enum Arming: Equatable, Sendable {
    /// Nothing: somebody wakes no later, or the timer is over.
    case covered
    /// Start a task that sleeps until then.
    case begin(TaskID, until: Moment)
    /// Let the task that rests sleep until then.
    case reuse(TaskID, until: Moment)
  }

  /// What is to be done about a clock that threw.
  enum Failure: Equatable, Sendable {
    /// Sleep until then once more.
    case again(Moment)
    /// Give the deadline up; `isNews` if no sleep has succeeded since the last one given up.
    case givenUp(isNews: Bool)
    /// Nothing: the timer is over.
    case over
  }

  /// How many sleep for exactly what they were asked for.
  static let exactCount = 4
  /// How often one sleep is tried with a clock that throws.
  static let attempts = 3
  /// The most that sleep at once: 100 years of nanoseconds can be halved 62 times.
  static let most = exactCount + 62

  /// Those that sleep, the earliest last.
  private(set) var sleepers: [Sleeper] = []
  /// Those whose sleep ended, and who have not come to rest yet.
  private var awake: [TaskID] = []
  /// The one that waits to be armed again.
  private(set) var resting: TaskID?
  private var lastTask: TaskID = 0
  private var hasGivenUp = false
  private(set) var isOver = false

  /// A deadline is to be woken for.
  ///
  /// - Parameters:
  ///   - moment: The deadline.
  ///   - now: The present time. However wrong it is, nobody is woken late by it.
  /// - Returns: Who sleeps for it.
  mutating func armed(_ moment: Moment, at now: Moment) -> Arming {
    guard !isOver else { return .covered }
    var until = moment
    if let top = sleepers.last {
      // Only a clock that stands still or jumps gets to so many; they are all due.
      guard moment < top.until, sleepers.count < Self.most else { return .covered }
      let left = top.until.nanoseconds - now.nanoseconds
      if sleepers.count >= Self.exactCount, left > 0 {
        until = min(moment, Moment(nanoseconds: now.nanoseconds + left / 2))
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

  /// A task's sleep is over; noted before anybody is told, so that what is armed then does not count
  /// on it any more.
  ///
  /// Others may be due as well: each comes by itself.
  ///
  /// - Parameter task: The task.
  /// - Returns: Whether to tell.
  mutating func woke(_ task: TaskID) -> Bool {
    guard !isOver else { return false }
    hasGivenUp = false
    wake(task)
    return true
  }

  /// The clock threw instead of waiting.
  ///
  /// - Parameter task: The task that slept.
  /// - Returns: Whether it tries again.
  mutating func failed(_ task: TaskID) -> Failure {
    guard !isOver, let place = sleepers.firstIndex(where: { $0.task == task }) else { return .over }
    sleepers[place].failures += 1
    guard sleepers[place].failures >= Self.attempts else { return .again(sleepers[place].until) }
    wake(task)
    defer { hasGivenUp = true }
    return .givenUp(isNews: !hasGivenUp)
  }

  private mutating func wake(_ task: TaskID) {
    sleepers.removeAll { $0.task == task }
    awake.append(task)
  }

  /// A task that woke has nothing left to do.
  ///
  /// - Parameter task: The task.
  /// - Returns: Whether it waits to be armed again; if not it ends: one that rests is enough.
  mutating func rested(_ task: TaskID) -> Bool {
    awake.removeAll { $0 == task }
    guard !isOver, resting == nil else { return false }
    resting = task
    return true
  }

  /// Whether a task sleeps, wakes or rests.
  func knows(_ task: TaskID) -> Bool {
    resting == task || awake.contains(task) || sleepers.contains { $0.task == task }
  }

  /// Nothing is woken for any more, and nobody is known.
  mutating func ended() {
    self = WakePlan()
    isOver = true
  }
}
