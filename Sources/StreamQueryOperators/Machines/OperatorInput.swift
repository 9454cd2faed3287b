/// An event in an operator, for its machine.
enum OperatorInput: Equatable, Sendable {
  /// The consumer waits for an element; the first demand starts the upstreams.
  case demanded
  /// The task of an upstream has made its iterator. If the upstream is a subscription, it has begun now.
  case subscribed(UpstreamID)
  /// An upstream has produced the element for which it was asked.
  case arrived(ArrivalID, from: UpstreamID)
  /// An upstream has produced another upstream as its element; only `switchToLatest` has such upstreams.
  case opened(UpstreamID, from: UpstreamID)
  /// An upstream that was asked for an element has finished.
  case finished(UpstreamID)
  /// An upstream that was asked for an element has failed; the failure is delivered like an element.
  case failed(UpstreamID, with: ArrivalID)
  /// The timer fired, at its time or later. A cancelled timer may still fire.
  case timerFired
  /// The consumer's task was cancelled, or its iterator was released.
  case cancelled
}
