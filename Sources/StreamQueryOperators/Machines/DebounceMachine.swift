/// Decides for `debounce`: an element is delivered after its upstream was quiet for an interval.
///
/// The upstream is asked for elements without pause. At most two elements are stored. One is the newest
/// element, which is held and may still be replaced. The other is settled, which means that its interval has
/// passed, but the consumer has not taken it; the next settled element replaces it.
///
/// If an element comes at the exact end of the earlier one's interval, the earlier one is settled.
///
/// | input      | nothing held       | an element held                                  |
/// |------------|--------------------|--------------------------------------------------|
/// | arrived    | hold, wake at end  | replace it; settle the old one if its time is up |
/// | timerFired | nothing            | settle, or sleep on if an element moved the end  |
/// | finished   | end                | settle, end                                      |
/// | failed     | end                | settle, end                                      |
struct DebounceMachine: TimedMachine {
  var upstream = SingleUpstream()
  var downstream = DownstreamQueue()
  private let interval: Interval
  /// The time at which the held element is settled; `nil` if only the end of the upstream settles it.
  private var end: Duration?

  init(interval: Interval) {
    self.interval = interval
  }

  mutating func arrived(_ arrival: ArrivalID, at now: Duration) -> [OperatorAction] {
    guard !interval.isZero else { return downstream.replace(with: arrival) + upstream.pull() }
    let settled = settle(at: now)
    end = interval.end(from: now)
    return settled + downstream.hold(arrival) + upstream.wake(at: end) + upstream.pull()
  }

  mutating func timerFired(at now: Duration) -> [OperatorAction] {
    let settled = settle(at: now)
    return downstream.held == nil ? settled : upstream.wake(at: end)
  }

  private mutating func settle(at now: Duration) -> [OperatorAction] {
    guard let end, now >= end else { return [] }
    return downstream.deliverHeld()
  }
}
