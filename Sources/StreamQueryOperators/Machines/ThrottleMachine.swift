/// Decides for `throttle`: in each window of time, at most one element passes at the start and one at the
/// end.
///
/// The upstream is asked for elements without pause. An element that comes outside of a window opens a
/// window, which lasts for the interval. At most two elements are stored: the newest one of the window, which
/// is held until the window ends, and one that has passed, until the consumer takes it or another one passes.
///
/// An element that comes at the exact end of a window is outside of it.
///
/// | input      | no window                      | window                                          |
/// |------------|--------------------------------|-------------------------------------------------|
/// | arrived    | open one; let through or hold  | hold in place of an earlier one, or discard     |
/// | timerFired | nothing                        | let the held one through and open the next      |
/// | finished   | end                            | let the held one through, end                   |
/// | failed     | end                            | let the held one through, end                   |
struct ThrottleMachine: TimedMachine {
  private enum Window: Equatable {
    case none
    /// A window is open, and no element passes before this time; `nil` if the window never ends.
    case open(end: Duration?)
  }

  var upstream = SingleUpstream()
  var downstream = DownstreamQueue()
  private let interval: Interval
  private let edges: ThrottleEdges
  private var window = Window.none

  init(interval: Interval, edges: ThrottleEdges) {
    self.interval = interval
    self.edges = edges
  }

  mutating func arrived(_ arrival: ArrivalID, at now: Duration) -> [OperatorAction] {
    guard !interval.isZero else { return downstream.replace(with: arrival) + upstream.pull() }
    var actions = closeWindow(at: now)
    switch window {
    case .none:
      let end = interval.end(from: now)
      window = .open(end: end)
      actions +=
        edges == .trailing
        ? downstream.hold(arrival) + upstream.wake(at: end) : downstream.replace(with: arrival)
    case .open(let end):
      actions +=
        edges == .leading
        ? [.discard(arrival)] : downstream.hold(arrival) + upstream.wake(at: end)
    }
    return actions + upstream.pull()
  }

  mutating func timerFired(at now: Duration) -> [OperatorAction] {
    let actions = closeWindow(at: now)
    guard downstream.held != nil, case .open(let end) = window else { return actions }
    return actions + upstream.wake(at: end)
  }

  /// Closes the window if it is over, and lets its held element through.
  ///
  /// That element opens the next window at once, so that two elements are never closer than the interval.
  private mutating func closeWindow(at now: Duration) -> [OperatorAction] {
    guard case .open(let end?) = window, now >= end else { return [] }
    window = downstream.held == nil ? .none : .open(end: interval.end(from: now))
    return downstream.deliverHeld()
  }
}
