/// When a client writes to its stores: a value that is told what happened.
///
/// One task at a time works: it waits, so that changes are gathered, and then writes.
struct SavePlan: Sendable {
  /// What a task does next.
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
  /// The number of rounds of writing that began.
  private(set) var begun: UInt64 = 0
  /// Whether no more changes will come.
  private(set) var isEnded = false

  init(throttle: Duration) {
    // A hundred years are for ever; more might overflow.
    self.throttle = min(max(.zero, throttle), .seconds(3_155_760_000 as Int64))
  }

  /// There is something to write.
  ///
  /// - Returns: The number of the task to start; `nil` if one is at work.
  mutating func changed() -> UInt64? {
    switch phase {
    case .resting: return begin()
    case .waiting: return nil
    case .writing:
      phase = .writing(again: true)
      return nil
    }
  }

  /// Somebody waits for the changes so far to be written.
  ///
  /// - Returns: The number of the task to start, which takes the place of one that waits; `nil` if
  ///   one is writing, and will write again.
  mutating func requested() -> UInt64? {
    switch phase {
    case .resting, .waiting: return begin()
    case .writing:
      phase = .writing(again: true)
      return nil
    }
  }

  /// The number of the round that includes all changes so far.
  var nextRound: UInt64 { begun + 1 }

  /// How long a task waits before it writes for the first time.
  var delay: Duration { isEnded ? .zero : throttle }

  private mutating func begin() -> UInt64 {
    taskSerial += 1
    phase = .waiting(taskSerial)
    return taskSerial
  }

  /// A task has waited.
  ///
  /// - Returns: Whether it writes; another one does if it does not.
  mutating func waited(_ task: UInt64) -> Bool {
    guard case .waiting(task) = phase else { return false }
    phase = .writing(again: false)
    begun += 1
    return true
  }

  /// A round of writing is over.
  ///
  /// - Parameters:
  ///   - isDirty: Whether something is left, because it could not be written.
  ///   - isAwaited: Whether somebody waits for the next round.
  /// - Returns: What the task does next, and its number.
  mutating func wrote(isDirty: Bool, isAwaited: Bool) -> (Step, UInt64) {
    failures = isDirty ? failures + 1 : 0
    guard case .writing(let again) = phase, again || isDirty && !isEnded else {
      phase = .resting
      return (.rest, taskSerial)
    }
    taskSerial += 1
    if isAwaited || isEnded {
      begun += 1
      phase = .writing(again: false)
      return (.write, taskSerial)
    }
    phase = .waiting(taskSerial)
    // After failures twice as long each time, up to a minute.
    let factor = 1 << min(failures, 6)
    let least = min(.seconds(60), max(throttle, .seconds(1)))
    return (.wait(failures == 0 ? throttle : min(.seconds(60), least * factor)), taskSerial)
  }

  /// No more changes will come: what is left is written at once, and what fails is not tried again.
  mutating func end() { isEnded = true }
}
