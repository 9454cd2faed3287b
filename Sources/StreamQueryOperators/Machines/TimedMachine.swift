/// A machine with one upstream and one timer: `debounce`, `throttle`, `timeout`.
///
/// If a timer and an upstream report at the same time, the consumer gets the same in either order, because
/// machines decide by the time and not by the source of the report.
protocol TimedMachine: OperatorMachine {
  var upstream: SingleUpstream { get set }
  var downstream: DownstreamQueue { get set }

  mutating func demanded(at now: Duration) -> [OperatorAction]

  mutating func arrived(_ arrival: ArrivalID, at now: Duration) -> [OperatorAction]

  mutating func timerFired(at now: Duration) -> [OperatorAction]

  /// Ends the consumer's sequence, because the upstream has finished or failed.
  mutating func end(with failure: ArrivalID?, at now: Duration) -> [OperatorAction]
}

extension TimedMachine {
  static var isTimed: Bool { true }

  mutating func demanded(at now: Duration) -> [OperatorAction] {
    (downstream.isOpen ? upstream.startIfNeeded() : []) + downstream.demanded()
  }

  mutating func end(with failure: ArrivalID?, at now: Duration) -> [OperatorAction] {
    downstream.end(with: failure)
  }

  mutating func receive(_ input: OperatorInput, at now: Duration) -> [OperatorAction] {
    switch input {
    case .demanded:
      return demanded(at: now)
    case .arrived(let arrival, from: _):
      return upstream.isRunning ? arrived(arrival, at: now) : [.discard(arrival)]
    case .timerFired:
      upstream.timerReported()
      return timerFired(at: now)
    case .finished:
      return upstream.isRunning ? upstream.ended() + end(with: nil, at: now) : []
    case .failed(_, with: let failure):
      guard upstream.isRunning else { return [.discard(failure)] }
      return upstream.ended() + end(with: failure, at: now)
    case .cancelled:
      return upstream.stop() + downstream.close()
    case .opened(let inner, from: _):
      return [.stop(inner)]
    case .subscribed:
      return []
    }
  }
}
