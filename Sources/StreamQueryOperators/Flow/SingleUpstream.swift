/// The upstream side of operators with one upstream and one timer: `debounce`, `throttle`,
/// `timeout`.
///
/// Pure. It knows whether the upstream's task and the timer's task run, so that each is started
/// and stopped once.
struct SingleUpstream: Equatable, Sendable {
  static let id = UpstreamID(rawValue: 0)

  private enum Task: Equatable {
    case notStarted
    case running
    case ended
  }

  private var task = Task.notStarted
  private var isTimerRunning = false

  /// Whether reports of the upstream still count.
  var isRunning: Bool { task == .running }

  /// Starts the upstream's task on the first demand, with a first pull.
  mutating func startIfNeeded() -> [FlowAction] {
    guard task == .notStarted else { return [] }
    task = .running
    return [.start(Self.id), .pull(Self.id)]
  }

  func pull() -> [FlowAction] {
    isRunning ? [.pull(Self.id)] : []
  }

  /// Starts the timer, unless it runs already.
  ///
  /// A running timer is never set again: ends only move away from now, so it reports too early at
  /// worst, and is told then how much longer to sleep. One task serves a whole burst of elements.
  mutating func wake(at end: Duration?) -> [FlowAction] {
    guard let end, !isTimerRunning else { return [] }
    isTimerRunning = true
    return [.wake(at: end)]
  }

  mutating func timerReported() {
    isTimerRunning = false
  }

  /// The upstream ended by itself.
  mutating func ended() -> [FlowAction] {
    task = .ended
    return stopTimer()
  }

  mutating func stop() -> [FlowAction] {
    let stop: [FlowAction] = isRunning ? [.stop(Self.id)] : []
    task = .ended
    return stop + stopTimer()
  }

  private mutating func stopTimer() -> [FlowAction] {
    guard isTimerRunning else { return [] }
    isTimerRunning = false
    return [.stopTimer]
  }
}
