/// Decides for `timeout`: the sequence fails if the consumer waits too long for an element.
///
/// The upstream is asked for one element per demand, and time counts from the demand, so that a slow consumer
/// causes no timeout. An element that comes at the exact end of the wait, or later, is late.
///
/// | input      | consumer waits                     | it does not            |
/// |------------|------------------------------------|------------------------|
/// | arrived    | deliver, or time out if late       | impossible             |
/// | timerFired | time out, or sleep on              | nothing; no timer runs |
/// | finished   | end, or time out if late           | impossible             |
/// | failed     | end, or time out if late           | impossible             |
struct TimeoutMachine: TimedMachine {
  var upstream = SingleUpstream()
  var downstream = DownstreamQueue()
  private let limit: Interval
  /// The time at which the present wait is too long; `nil` if the consumer does not wait, or waits without a
  /// limit.
  private var end: Duration?

  init(limit: Interval) {
    self.limit = limit
  }

  mutating func demanded(at now: Duration) -> [OperatorAction] {
    guard downstream.isOpen else { return downstream.demanded() }
    let start = upstream.startIfNeeded()
    end = limit.end(from: now)
    return (start.isEmpty ? upstream.pull() : start) + downstream.demanded()
      + upstream.wake(at: end)
  }

  mutating func arrived(_ arrival: ArrivalID, at now: Duration) -> [OperatorAction] {
    guard !isLate(at: now) else {
      return [.discard(arrival)] + upstream.stop() + downstream.timeOut()
    }
    end = nil
    return downstream.append(arrival)
  }

  mutating func timerFired(at now: Duration) -> [OperatorAction] {
    isLate(at: now) ? upstream.stop() + downstream.timeOut() : upstream.wake(at: end)
  }

  mutating func end(with failure: ArrivalID?, at now: Duration) -> [OperatorAction] {
    guard isLate(at: now) else { return downstream.end(with: failure) }
    return (failure.map { [.discard($0)] } ?? []) + downstream.timeOut()
  }

  private func isLate(at now: Duration) -> Bool {
    guard let end else { return false }
    return now >= end
  }
}
