/// Decides for `merge` and `combineLatest`: several upstreams, one queue in order of arrival.
///
/// Pull based. A consumer that waits while nothing is queued lets every resting upstream run for
/// one element; so at most one element per upstream is ever queued, and none is lost.
///
/// | input    | before the first demand | running                              | ended   |
/// |----------|-------------------------|--------------------------------------|---------|
/// | demanded | start and pull all      | deliver, or pull those that rest     | finish  |
/// | arrived  | impossible              | deliver or queue; its upstream rests | discard |
/// | finished | impossible              | end with the last one                | ignore  |
/// | failed   | impossible              | stop the others, end after the queue | discard |
struct MergeMachine: FlowMachine {
  /// When the merged sequence ends well.
  enum Ending: Equatable, Sendable {
    /// When every upstream has finished.
    case withTheLast
    /// Also when one finishes without an element: a combination of all can never come to be.
    case whenOneIsEmpty
  }

  private let count: Int
  private let ending: Ending
  private var isStarted = false
  /// Upstreams whose tasks have not ended.
  private var running: Set<Int> = []
  /// Running upstreams that wait to be pulled, in the order in which they came to rest.
  private var resting: [Int] = []
  /// Upstreams that have produced an element; kept only where the ending depends on it.
  private var productive: Set<Int> = []
  private var outlet = Outlet()

  init(count: Int, ending: Ending = .withTheLast) {
    self.count = count
    self.ending = ending
  }

  mutating func demanded(at now: Duration) -> [FlowAction] {
    guard isStarted || !outlet.isOpen else { return start() }
    return outlet.demanded() + pullIfWaiting()
  }

  mutating func arrived(
    _ arrival: ArrivalID,
    from upstream: UpstreamID,
    at now: Duration
  ) -> [FlowAction] {
    guard running.contains(upstream.rawValue) else { return [.discard(arrival)] }
    if ending == .whenOneIsEmpty { productive.insert(upstream.rawValue) }
    resting.append(upstream.rawValue)
    return outlet.append(arrival)
  }

  mutating func finished(_ upstream: UpstreamID, at now: Duration) -> [FlowAction] {
    guard running.remove(upstream.rawValue) != nil else { return [] }
    switch ending {
    case .whenOneIsEmpty where !productive.contains(upstream.rawValue):
      return stopAll() + outlet.close()
    case .withTheLast, .whenOneIsEmpty:
      return running.isEmpty ? outlet.finish() : []
    }
  }

  mutating func failed(
    _ upstream: UpstreamID,
    with failure: ArrivalID,
    at now: Duration
  ) -> [FlowAction] {
    // A stopped upstream often fails because it was stopped; that is nobody's error.
    guard running.remove(upstream.rawValue) != nil else { return [.discard(failure)] }
    return stopAll() + outlet.fail(with: failure)
  }

  mutating func cancelled() -> [FlowAction] {
    stopAll() + outlet.close()
  }

  private mutating func start() -> [FlowAction] {
    isStarted = true
    running = Set(0..<count)
    let starts = (0..<count).flatMap { upstream -> [FlowAction] in
      [.start(UpstreamID(rawValue: upstream)), .pull(UpstreamID(rawValue: upstream))]
    }
    let ended = count == 0 ? outlet.finish() : []
    return starts + ended + outlet.demanded()
  }

  private mutating func pullIfWaiting() -> [FlowAction] {
    guard outlet.isWaiting else { return [] }
    defer { resting.removeAll(keepingCapacity: true) }
    return resting.filter(running.contains).map { .pull(UpstreamID(rawValue: $0)) }
  }

  private mutating func stopAll() -> [FlowAction] {
    defer {
      running.removeAll()
      resting.removeAll()
    }
    return running.sorted().map { .stop(UpstreamID(rawValue: $0)) }
  }
}
