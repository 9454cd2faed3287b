/// The state of an operator's only upstream and of its timer; in `switchToLatest`, of the outer upstream.
///
/// It notes whether their tasks run, so that each task is started and stopped once.
struct SingleUpstream: Equatable, Sendable {
  static let id = UpstreamID(rawValue: 0)

  private enum State: Equatable {
    case notStarted
    case running
    case ended
  }

  private var state = State.notStarted
  private var isTimerRunning = false

  /// Whether reports of the upstream are still accepted.
  var isRunning: Bool { state == .running }

  /// Starts the upstream's task at the first demand, and asks for the first element.
  mutating func startIfNeeded() -> [OperatorAction] {
    guard state == .notStarted else { return [] }
    state = .running
    return [.start(Self.id), .pull(Self.id)]
  }

  func pull() -> [OperatorAction] {
    isRunning ? [.pull(Self.id)] : []
  }

  /// Starts the timer, unless it runs already.
  ///
  /// A running timer is never set again. The time at which to wake only moves further away, so at worst the
  /// timer fires too early, and is then started again. So one task serves many elements in a row.
  mutating func wake(at end: Duration?) -> [OperatorAction] {
    guard let end, !isTimerRunning else { return [] }
    isTimerRunning = true
    return [.wake(at: end)]
  }

  mutating func timerReported() {
    isTimerRunning = false
  }

  /// Notes that the upstream has ended, and stops the timer.
  @discardableResult mutating func ended() -> [OperatorAction] {
    state = .ended
    guard isTimerRunning else { return [] }
    isTimerRunning = false
    return [.stopTimer]
  }

  mutating func stop() -> [OperatorAction] {
    let stop: [OperatorAction] = isRunning ? [.stop(Self.id)] : []
    return stop + ended()
  }
}
