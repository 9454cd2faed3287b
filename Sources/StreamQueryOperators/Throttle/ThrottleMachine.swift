/// Decides for `throttle`: at most one element per window.
///
/// The upstream is pulled without pause. An element outside a window opens one. Two elements are
/// kept at most: the newest of the window, for its end, and one that was let through but that the
/// consumer has not taken; a newer one replaces it.
///
/// An element that comes at the very end of a window is outside it, whether or not the timer had
/// reported: the outcome does not depend on which of the two came first.
///
/// | input      | no window                      | window                                          |
/// |------------|--------------------------------|-------------------------------------------------|
/// | arrived    | open one; let through or keep  | keep in place of an earlier one, or discard     |
/// | timerFired | nothing                        | let the kept one through and open the next      |
/// | finished   | end                            | let the kept one through, end                   |
/// | failed     | end                            | let the kept one through, end                   |
struct ThrottleMachine: FlowMachine {
  private enum Window: Equatable {
    case none
    /// Nothing passes until its end; `nil` if it never ends.
    case open(end: Duration?)
  }

  private let interval: Interval
  private let edges: ThrottleEdges
  private var driver = SingleUpstream()
  private var window = Window.none
  /// The newest element of the window, for its trailing edge.
  private var kept: ArrivalID?
  private var outlet = Outlet()

  init(interval: Interval, edges: ThrottleEdges) {
    self.interval = interval
    self.edges = edges
  }

  mutating func demanded(at now: Duration) -> [FlowAction] {
    (outlet.isOpen ? driver.startIfNeeded() : []) + outlet.demanded()
  }

  mutating func arrived(
    _ arrival: ArrivalID,
    from upstream: UpstreamID,
    at now: Duration
  ) -> [FlowAction] {
    guard driver.isRunning else { return [.discard(arrival)] }
    guard !interval.isZero else { return outlet.replace(with: arrival) + driver.pull() }
    var actions = closeWindow(at: now)
    switch window {
    case .none:
      let end = interval.end(from: now)
      window = .open(end: end)
      if edges != .trailing {
        actions += outlet.replace(with: arrival)
      } else {
        actions += keep(arrival) + driver.wake(at: end)
      }
    case .open(let end):
      if edges != .leading {
        actions += keep(arrival) + driver.wake(at: end)
      } else {
        actions.append(.discard(arrival))
      }
    }
    return actions + driver.pull()
  }

  mutating func timerFired(at now: Duration) -> [FlowAction] {
    driver.timerReported()
    let actions = closeWindow(at: now)
    guard kept != nil, case .open(let end) = window else { return actions }
    return actions + driver.wake(at: end)
  }

  mutating func finished(_ upstream: UpstreamID, at now: Duration) -> [FlowAction] {
    guard driver.isRunning else { return [] }
    return driver.ended() + letKeptThrough() + outlet.finish()
  }

  mutating func failed(
    _ upstream: UpstreamID,
    with failure: ArrivalID,
    at now: Duration
  ) -> [FlowAction] {
    guard driver.isRunning else { return [.discard(failure)] }
    return driver.ended() + letKeptThrough() + outlet.fail(with: failure)
  }

  mutating func cancelled() -> [FlowAction] {
    let discards: [FlowAction] = kept.map { [.discard($0)] } ?? []
    kept = nil
    return driver.stop() + discards + outlet.close()
  }

  /// Closes a window whose time is up.
  ///
  /// What it lets through opens the next one at once, so that two elements are never closer than
  /// the interval.
  private mutating func closeWindow(at now: Duration) -> [FlowAction] {
    guard case .open(let end?) = window, now >= end else { return [] }
    window = kept == nil ? .none : .open(end: interval.end(from: now))
    return letKeptThrough()
  }

  private mutating func keep(_ arrival: ArrivalID) -> [FlowAction] {
    defer { kept = arrival }
    return kept.map { [.discard($0)] } ?? []
  }

  private mutating func letKeptThrough() -> [FlowAction] {
    guard let kept else { return [] }
    self.kept = nil
    return outlet.replace(with: kept)
  }
}
