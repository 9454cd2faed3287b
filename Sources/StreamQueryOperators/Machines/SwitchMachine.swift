/// Decides for `switchToLatest`: the outer upstream opens inner upstreams, and the newest of them is
/// followed.
///
/// The outer upstream is asked for elements without pause, because its newest element decides. The newest
/// inner upstream is asked only while the consumer waits, so no element is queued. When a newer one is
/// opened, elements of the former ones are discarded at once. But the tasks of the former ones run until the
/// newest one has subscribed, so that a query that both observe does not lose its last observer.
///
/// | input    | outer                           | newest inner              | inner that was left |
/// |----------|---------------------------------|---------------------------|---------------------|
/// | opened   | start the new one, pull outer   | impossible                | impossible          |
/// | subscribed | nothing                       | stop those that were left | nothing             |
/// | arrived  | impossible                      | deliver                   | discard             |
/// | finished | end, if no inner one is running | end, if outer has ended*  | forget it           |
/// | failed   | stop all inner ones, end        | stop all, end             | discard             |
///
/// \* With `Ending.withTheInner`, the sequence ends at once.
struct SwitchMachine: OperatorMachine {
  /// The condition for the end of the switched sequence.
  enum Ending: Equatable, Sendable {
    /// The sequence ends when the outer upstream and the newest inner one have finished.
    case withBoth
    /// The sequence also ends when only the newest inner upstream has finished, because no other will follow.
    case withTheInner
  }

  static var isTimed: Bool { false }

  private struct Inner: Equatable {
    let id: UpstreamID
    /// Whether the inner upstream was asked for an element, and has not produced it yet.
    var isPulled: Bool
  }

  private let ending: Ending
  /// The upstream with elements that open inner upstreams.
  private var outer = SingleUpstream()
  private var newest: Inner?
  /// The former inner upstreams, which run until the newest one has subscribed.
  private var left: [UpstreamID] = []
  private var downstream = DownstreamQueue()

  init(ending: Ending = .withBoth) {
    self.ending = ending
  }

  mutating func receive(_ input: OperatorInput, at now: Duration) -> [OperatorAction] {
    switch input {
    case .demanded:
      return (downstream.isOpen ? outer.startIfNeeded() : []) + downstream.demanded()
        + pullNewestIfWaiting()
    case .opened(let inner, from: let upstream):
      guard outer.isRunning, upstream == SingleUpstream.id else { return [.stop(inner)] }
      if let newest { left.append(newest.id) }
      newest = Inner(id: inner, isPulled: false)
      return [.start(inner)] + pullNewestIfWaiting() + outer.pull()
    case .subscribed(let upstream):
      return upstream == newest?.id ? stopLeft() : []
    case .arrived(let arrival, from: let upstream):
      guard upstream == newest?.id else { return [.discard(arrival)] }
      newest?.isPulled = false
      return downstream.append(arrival)
    case .finished(let upstream):
      return finished(upstream)
    case .failed(let upstream, with: let failure):
      if upstream == SingleUpstream.id, outer.isRunning {
        outer.ended()
      } else if upstream == newest?.id {
        newest = nil
      } else {
        left.removeAll { $0 == upstream }
        return [.discard(failure)]
      }
      return stopAll() + downstream.end(with: failure)
    case .cancelled:
      return stopAll() + downstream.close()
    case .timerFired:
      return []
    }
  }

  private mutating func finished(_ upstream: UpstreamID) -> [OperatorAction] {
    switch upstream {
    case SingleUpstream.id:
      outer.ended()
    case newest?.id:
      newest = nil
      if ending == .withTheInner { return stopAll() + downstream.end(with: nil) }
    default:
      left.removeAll { $0 == upstream }
    }
    return !outer.isRunning && newest == nil ? stopLeft() + downstream.end(with: nil) : []
  }

  private mutating func pullNewestIfWaiting() -> [OperatorAction] {
    guard downstream.isWaiting, let newest, !newest.isPulled else { return [] }
    self.newest?.isPulled = true
    return [.pull(newest.id)]
  }

  private mutating func stopLeft() -> [OperatorAction] {
    defer { left.removeAll() }
    return left.map { .stop($0) }
  }

  private mutating func stopAll() -> [OperatorAction] {
    let newest = newest.take().map { [OperatorAction.stop($0.id)] } ?? []
    return outer.stop() + stopLeft() + newest
  }
}
