/// A request from an operator's machine to its storage.
enum OperatorAction: Equatable, Sendable {
  /// Start the task that iterates this upstream; the task asks for no element yet.
  case start(UpstreamID)
  /// Let the task of this upstream ask for one more element.
  case pull(UpstreamID)
  /// Cancel the task of this upstream, or drop the upstream if it was never started.
  case stop(UpstreamID)
  /// Send `timerFired` to the machine at this time. At most one timer runs.
  case wake(at: Duration)
  /// Cancel the timer.
  case stopTimer
  /// Deliver this element or failure to the waiting consumer.
  case deliver(ArrivalID)
  /// Drop an element or failure that the consumer will not get.
  case discard(ArrivalID)
  /// Tell the waiting consumer that the sequence has ended.
  case finish
  /// Tell the waiting consumer that its wait has exceeded the limit.
  case timeOut
}
