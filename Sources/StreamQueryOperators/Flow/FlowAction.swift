/// Names one upstream of an operator, so that machines hold no task and no iterator.
struct UpstreamID: Hashable, Sendable {
  var rawValue: Int
}

/// Names one element, or one failure, that arrived from an upstream; its value stays in the shell.
///
/// Machines decide about arrivals without ever owning a user's value: nothing of the user's is
/// copied, compared or released while the shell holds its lock.
struct ArrivalID: Hashable, Sendable {
  var rawValue: Int
}

/// What an operator's machine asks its shell to do.
enum FlowAction: Equatable, Sendable {
  /// Start the task that iterates this upstream; it asks for no element yet.
  case start(UpstreamID)
  /// Let this upstream's task ask for one more element.
  case pull(UpstreamID)
  /// Cancel this upstream's task, or forget the upstream if it was never started.
  case stop(UpstreamID)
  /// Wake the machine at this time. At most one wake-up is outstanding.
  case wake(at: Duration)
  /// Give up the outstanding wake-up.
  case stopTimer
  /// Hand this arrival to the consumer, which waits.
  case deliver(ArrivalID)
  /// Throw away an arrival that nobody will see.
  case discard(ArrivalID)
  /// Tell the consumer, which waits, that there is nothing more.
  case finish
  /// Tell the consumer, which waits, that its time is up.
  case timeOut
}
