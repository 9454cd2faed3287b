/// Decides for `debounce`: an element is delivered once its upstream was quiet for an interval.
///
/// The upstream is pulled without pause. Two elements are kept at most: the newest, which may still
/// be replaced, and a settled one that the consumer has not taken; a newer settled one replaces it.
///
/// An element that comes at the very end of the interval finds the earlier one settled, whether or
/// not the timer had reported: the outcome does not depend on which of the two came first.
///
/// | input      | nothing pending       | pending                                          |
/// |------------|-----------------------|--------------------------------------------------|
/// | arrived    | pending, wake at end  | replace it; settle the old one if its time is up |
/// | timerFired | nothing               | settle, or sleep on if an element moved the end  |
/// | finished   | end                   | settle, end                                      |
/// | failed     | end                   | settle, end                                      |
struct DebounceMachine: FlowMachine {
  private struct Pending: Equatable {
    let arrival: ArrivalID
    /// When it is settled; `nil` if only by the end of the upstream.
    let end: Duration?
  }

  private let interval: Interval
  private var driver = SingleUpstream()
  private var pending: Pending?
  private var outlet = Outlet()

  init(interval: Interval) {
    self.interval = interval
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
    var actions: [FlowAction] = []
    if let pending {
      actions += isSettled(pending, at: now) ? settle() : [.discard(pending.arrival)]
    }
    let end = interval.end(from: now)
    pending = Pending(arrival: arrival, end: end)
    return actions + driver.wake(at: end) + driver.pull()
  }

  mutating func timerFired(at now: Duration) -> [FlowAction] {
    driver.timerReported()
    guard let pending else { return [] }
    return isSettled(pending, at: now) ? settle() : driver.wake(at: pending.end)
  }

  mutating func finished(_ upstream: UpstreamID, at now: Duration) -> [FlowAction] {
    guard driver.isRunning else { return [] }
    return driver.ended() + settle() + outlet.finish()
  }

  mutating func failed(
    _ upstream: UpstreamID,
    with failure: ArrivalID,
    at now: Duration
  ) -> [FlowAction] {
    guard driver.isRunning else { return [.discard(failure)] }
    return driver.ended() + settle() + outlet.fail(with: failure)
  }

  mutating func cancelled() -> [FlowAction] {
    let discards: [FlowAction] = pending.map { [.discard($0.arrival)] } ?? []
    pending = nil
    return driver.stop() + discards + outlet.close()
  }

  private func isSettled(_ pending: Pending, at now: Duration) -> Bool {
    guard let end = pending.end else { return false }
    return now >= end
  }

  private mutating func settle() -> [FlowAction] {
    guard let pending else { return [] }
    self.pending = nil
    return outlet.replace(with: pending.arrival)
  }
}
