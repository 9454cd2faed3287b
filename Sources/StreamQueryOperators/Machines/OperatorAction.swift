/// A request of an operator's machine to its storage.
enum OperatorAction: Equatable, Sendable {
  /// Start the task that iterates this upstream; it asks for no element yet.
  case start(UpstreamID)
  /// Let this upstream's task ask for one more element.
  case pull(UpstreamID)
  /// Cancel this upstream's task, or forget the upstream if it was never started.
  case stop(UpstreamID)
  /// Wake the machine at this time. At most one timer runs.
  case wake(at: Duration)
  /// Cancel the timer.
  case stopTimer
  /// Hand this arrival to the waiting consumer.
  case deliver(ArrivalID)
  /// Drop an arrival that the consumer will not get.
  case discard(ArrivalID)
  /// Tell the waiting consumer that the sequence has ended.
  case finish
  /// Tell the waiting consumer that its time is up.
  case timeOut
}
