/// Decides when a client writes to a store; it is a value, and the writer reports each event to it.
///
/// At most one task works for a store. It first waits, so that changes are gathered, and then writes them
/// together.
struct SavePlan: Sendable {
  /// The next step of a task.
  enum Step: Equatable, Sendable {
    case rest
    case wait(Duration)
    case write
  }

  private enum Phase {
    case resting
    case waiting(UInt64)
    case writing(again: Bool)
  }

  private let throttle: Duration
  private var phase = Phase.resting
  private var taskSerial: UInt64 = 0
  private var failures = 0
  /// The number of times that writing has begun.
  private(set) var begun: UInt64 = 0
  /// The time for which a newly started task waits before it writes for the first time.
  private(set) var delay = Duration.zero
  /// Whether no more changes will come, because the client has ended.
  private var isEnded = false

  init(throttle: Duration) {
    // A longer time could overflow, and nobody waits for a hundred years.
    self.throttle = min(max(.zero, throttle), .seconds(3_155_760_000 as Int64))
  }

  /// Notes that there is something to write.
  ///
  /// - Returns: The number of the task to start; `nil` if a task is at work already.
  mutating func changed() -> UInt64? {
    switch phase {
    case .resting: return begin(after: isEnded ? .zero : throttle)
    case .waiting: return nil
    case .writing:
      phase = .writing(again: true)
      return nil
    }
  }

  /// Notes that a caller waits until the changes so far are written.
  ///
  /// - Returns: The number of the task to start, which replaces a waiting one; `nil` if a task is writing,
  ///   and will write again.
  mutating func requested() -> UInt64? {
    switch phase {
    case .resting, .waiting: return begin(after: .zero)
    case .writing:
      phase = .writing(again: true)
      return nil
    }
  }

  /// The number of the next round of writing, which includes all changes so far.
  var nextRound: UInt64 { begun + 1 }

  private mutating func begin(after delay: Duration) -> UInt64 {
    self.delay = delay
    taskSerial += 1
    phase = .waiting(taskSerial)
    return taskSerial
  }

  /// Notes that a task has waited.
  ///
  /// - Returns: Whether the task writes now; `false` if another task has replaced it.
  mutating func waited(_ task: UInt64) -> Bool {
    guard case .waiting(task) = phase else { return false }
    phase = .writing(again: false)
    begun += 1
    return true
  }

  /// Notes that a task has written, and decides its next step.
  ///
  /// - Parameters:
  ///   - isDirty: Whether there are changes that could not be written.
  ///   - isAwaited: Whether a caller waits until the rest is written.
  /// - Returns: The task's next step, and its number.
  mutating func wrote(isDirty: Bool, isAwaited: Bool) -> (Step, UInt64) {
    failures = isDirty ? failures + 1 : 0
    guard case .writing(let again) = phase, again || isDirty && !isEnded else {
      phase = .resting
      return (.rest, taskSerial)
    }
    if isAwaited || isEnded {
      begun += 1
      phase = .writing(again: false)
      return (.write, taskSerial)
    }
    phase = .waiting(taskSerial)
    // After each failure in a row, the task waits twice as long, up to a minute.
    let factor = 1 << min(failures, 6)
    let least = min(.seconds(60), max(throttle, .seconds(1)))
    return (.wait(failures == 0 ? throttle : min(.seconds(60), least * factor)), taskSerial)
  }

  /// Notes that no more changes will come, so that changes are written at once and failures are final.
  mutating func end() { (isEnded, delay) = (true, .zero) }
}
