/// Decides for `merge` and `combineLatest`: several upstreams share one queue, in the order of arrival.
///
/// When the consumer waits and nothing is queued, every resting upstream is asked for one element. An
/// upstream rests after it has delivered an element. So at most one element per upstream is queued, and none
/// is lost.
///
/// | input    | before the first demand | running                              | ended   |
/// |----------|-------------------------|--------------------------------------|---------|
/// | demanded | start and pull all      | deliver, or pull those that rest     | finish  |
/// | arrived  | impossible              | deliver or queue; its upstream rests | discard |
/// | finished | impossible              | end with the last one                | ignore  |
/// | failed   | impossible              | stop the others, end after the queue | discard |
struct MergeMachine: OperatorMachine {
  /// The condition for the end of the merged sequence.
  enum Ending: Equatable, Sendable {
    /// The merged sequence ends when every upstream has finished.
    case withTheLast
    /// The merged sequence also ends when one upstream finishes without an element, because then there can be
    /// no combination.
    case whenOneIsEmpty
  }

  static var isTimed: Bool { false }

  private let count: Int
  private let ending: Ending
  private var isStarted = false
  /// The upstreams that have started, and have not ended or been stopped.
  private var running: Set<UpstreamID> = []
  /// The running upstreams that wait to be asked for an element, in the order of their last elements.
  private var resting: [UpstreamID] = []
  /// The upstreams that have produced an element; empty unless the ending depends on them.
  private var productive: Set<UpstreamID> = []
  private var downstream = DownstreamQueue()

  init(count: Int, ending: Ending = .withTheLast) {
    self.count = count
    self.ending = ending
  }

  mutating func receive(_ input: OperatorInput, at now: Duration) -> [OperatorAction] {
    switch input {
    case .demanded:
      guard isStarted || !downstream.isOpen else { return start() }
      return downstream.demanded() + pullIfWaiting()
    case .arrived(let arrival, from: let upstream):
      guard running.contains(upstream) else { return [.discard(arrival)] }
      if ending == .whenOneIsEmpty { productive.insert(upstream) }
      resting.append(upstream)
      return downstream.append(arrival)
    case .finished(let upstream):
      guard running.remove(upstream) != nil else { return [] }
      if ending == .whenOneIsEmpty, !productive.contains(upstream) {
        return stopAll() + downstream.close()
      }
      return running.isEmpty ? downstream.end(with: nil) : []
    case .failed(let upstream, with: let failure):
      // An upstream may fail because it was stopped; that failure is ignored.
      guard running.remove(upstream) != nil else { return [.discard(failure)] }
      return stopAll() + downstream.end(with: failure)
    case .cancelled:
      return stopAll() + downstream.close()
    case .opened(let inner, from: _):
      return [.stop(inner)]
    case .subscribed, .timerFired:
      return []
    }
  }

  private mutating func start() -> [OperatorAction] {
    isStarted = true
    let upstreams = (0..<count).map(UpstreamID.init)
    running = Set(upstreams)
    let starts = upstreams.flatMap { [OperatorAction.start($0), .pull($0)] }
    return starts + (count == 0 ? downstream.end(with: nil) : []) + downstream.demanded()
  }

  private mutating func pullIfWaiting() -> [OperatorAction] {
    guard downstream.isWaiting else { return [] }
    defer { resting.removeAll(keepingCapacity: true) }
    return resting.filter(running.contains).map { .pull($0) }
  }

  private mutating func stopAll() -> [OperatorAction] {
    defer {
      running.removeAll()
      resting.removeAll()
    }
    return running.sorted().map { .stop($0) }
  }
}
