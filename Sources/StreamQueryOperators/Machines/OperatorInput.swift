/// An event of an operator; every input is a fact.
enum OperatorInput: Equatable, Sendable {
  /// The consumer waits for an element. The first time, this starts the upstreams.
  case demanded
  /// The task of an upstream has made its iterator. If the upstream is a subscription, it begins with that.
  case subscribed(UpstreamID)
  /// A pulled upstream produced an element.
  case arrived(ArrivalID, from: UpstreamID)
  /// A pulled upstream produced another upstream. Only `switchToLatest` has such upstreams.
  case opened(UpstreamID, from: UpstreamID)
  /// A pulled upstream finished.
  case finished(UpstreamID)
  /// A pulled upstream failed; its failure is an arrival like any element.
  case failed(UpstreamID, with: ArrivalID)
  /// The timer fired, not before its time. A cancelled timer may still fire.
  case timerFired
  /// The consumer's task was cancelled or its iterator dropped.
  case cancelled
}
