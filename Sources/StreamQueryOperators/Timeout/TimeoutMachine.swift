/// Decides for `timeout`: an element that the consumer waits for too long is an error.
///
/// The upstream is pulled once per demand, and time counts from the demand: a slow consumer uses
/// up nobody's time. An answer that comes at or after the end of the wait is late, whether or not
/// the timer had reported: the outcome does not depend on which of the two came first.
///
/// | input      | consumer waits                     | it does not            |
/// |------------|------------------------------------|------------------------|
/// | arrived    | deliver, or time out if late       | impossible             |
/// | timerFired | time out, or sleep on              | nothing; no timer runs |
/// | finished   | end, or time out if late           | impossible             |
/// | failed     | end, or time out if late           | impossible             |
struct TimeoutMachine: FlowMachine {
  private let limit: Interval
  private var driver = SingleUpstream()
  /// When the present wait is too long; `nil` if never, or if the consumer does not wait.
  private var end: Duration?
  private var outlet = Outlet()

  init(limit: Interval) {
    self.limit = limit
  }

  mutating func demanded(at now: Duration) -> [FlowAction] {
    guard outlet.isOpen else { return outlet.demanded() }
    let start = driver.startIfNeeded()
    end = limit.end(from: now)
    return (start.isEmpty ? driver.pull() : start) + outlet.demanded() + driver.wake(at: end)
  }

  mutating func arrived(
    _ arrival: ArrivalID,
    from upstream: UpstreamID,
    at now: Duration
  ) -> [FlowAction] {
    guard driver.isRunning else { return [.discard(arrival)] }
    guard !isLate(at: now) else { return [.discard(arrival)] + timeOut() }
    end = nil
    return outlet.append(arrival)
  }

  mutating func timerFired(at now: Duration) -> [FlowAction] {
    driver.timerReported()
    return isLate(at: now) ? timeOut() : driver.wake(at: end)
  }

  mutating func finished(_ upstream: UpstreamID, at now: Duration) -> [FlowAction] {
    guard driver.isRunning else { return [] }
    let actions = driver.ended()
    return actions + (isLate(at: now) ? outlet.timeOut() : outlet.finish())
  }

  mutating func failed(
    _ upstream: UpstreamID,
    with failure: ArrivalID,
    at now: Duration
  ) -> [FlowAction] {
    guard driver.isRunning else { return [.discard(failure)] }
    let actions = driver.ended()
    guard !isLate(at: now) else { return actions + [.discard(failure)] + outlet.timeOut() }
    return actions + outlet.fail(with: failure)
  }

  mutating func cancelled() -> [FlowAction] {
    driver.stop() + outlet.close()
  }

  private func isLate(at now: Duration) -> Bool {
    guard let end else { return false }
    return now >= end
  }

  private mutating func timeOut() -> [FlowAction] {
    driver.stop() + outlet.timeOut()
  }
}
