/// Decides what an operator does: the pure half of every operator that needs a task.
///
/// Inputs are facts in the past tense, outputs are data. A machine never awaits, never reads a
/// clock and never holds a task, a continuation or a user's value. The shell that performs what it
/// decides is `Confluence`.
///
/// Every machine keeps these promises:
/// - a delivery, `finish` or `timeOut` is asked for only while a consumer waits, and then once;
/// - each arrival is delivered or discarded, once;
/// - each started upstream either reports its own end or is stopped;
/// - after the end nothing is started, and late reports are discarded.
protocol FlowMachine: Equatable, Sendable {
  /// The consumer waits for an element. The first time, this starts the upstreams.
  mutating func demanded(at now: Duration) -> [FlowAction]

  /// The task of an upstream made its iterator: a hot upstream counts us as an observer by now.
  mutating func subscribed(_ upstream: UpstreamID) -> [FlowAction]

  /// An upstream that was pulled produced an element.
  mutating func arrived(
    _ arrival: ArrivalID,
    from upstream: UpstreamID,
    at now: Duration
  ) -> [FlowAction]

  /// An upstream that was pulled produced another upstream.
  mutating func opened(_ inner: UpstreamID, from upstream: UpstreamID) -> [FlowAction]

  /// An upstream that was pulled ended well.
  mutating func finished(_ upstream: UpstreamID, at now: Duration) -> [FlowAction]

  /// An upstream that was pulled failed; the failure is an arrival like any element.
  mutating func failed(
    _ upstream: UpstreamID,
    with failure: ArrivalID,
    at now: Duration
  ) -> [FlowAction]

  /// The wake-up that was asked for came, not before its time.
  mutating func timerFired(at now: Duration) -> [FlowAction]

  /// The consumer's task was cancelled or its iterator dropped.
  mutating func cancelled() -> [FlowAction]
}

extension FlowMachine {
  mutating func subscribed(_ upstream: UpstreamID) -> [FlowAction] { [] }

  // Only `switchToLatest` has upstreams that produce upstreams.
  mutating func opened(_ inner: UpstreamID, from upstream: UpstreamID) -> [FlowAction] {
    [.stop(inner)]
  }

  // A timer that was given up may still report.
  mutating func timerFired(at now: Duration) -> [FlowAction] { [] }
}
