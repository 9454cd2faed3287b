/// The upstream and the timer of a `TimedMachine`, and the outer upstream of `switchToLatest`.
///
/// It knows whether the upstream's task and the timer's task run, so that each is started and
/// stopped once.
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

  /// Starts the upstream's task on the first demand, with a first pull.
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
  /// A running timer is never set again. The time to wake only moves further away, so at worst the
  /// timer fires too early, and then sleeps on. So one task serves many elements in a row.
  mutating func wake(at end: Duration?) -> [OperatorAction] {
    guard let end, !isTimerRunning else { return [] }
    isTimerRunning = true
    return [.wake(at: end)]
  }

  mutating func timerReported() {
    isTimerRunning = false
  }

  /// The upstream ended by itself.
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
