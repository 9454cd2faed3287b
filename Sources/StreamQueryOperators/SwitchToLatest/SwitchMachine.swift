/// Decides for `switchToLatest`: one outer upstream, and of those that it opens only the newest.
///
/// The outer upstream is pulled without pause, since its newest element decides. The newest inner
/// one is pulled only while the consumer waits, so nothing is ever queued. An inner upstream that
/// was left keeps its task until the newest has subscribed, but what it still produces is
/// discarded from the moment in which the newest was opened.
///
/// | input    | outer                           | newest inner              | inner that was left |
/// |----------|---------------------------------|---------------------------|---------------------|
/// | opened   | start the new one, pull outer   | impossible                | impossible          |
/// | subscribed | nothing                       | stop those that were left | nothing             |
/// | arrived  | impossible                      | deliver                   | discard             |
/// | finished | end, if no inner one is running | end, if outer has ended*  | forget it           |
/// | failed   | stop all inner ones, end        | stop all, end             | discard             |
///
/// \* or at once, where the inner upstream decides alone.
struct SwitchMachine: FlowMachine {
  /// When the switched sequence ends well.
  enum Ending: Equatable, Sendable {
    /// When the outer upstream and the newest inner one have finished.
    case withBoth
    /// Also when the newest inner one has: there will be no other.
    case withTheInner
  }

  /// The upstream whose elements open others.
  static let outer = UpstreamID(rawValue: 0)

  private struct Inner: Equatable {
    let id: UpstreamID
    /// Whether it was pulled and has not answered yet.
    var isPulled: Bool
  }

  private enum Outer: Equatable {
    case notStarted
    case running
    case ended
  }

  private let ending: Ending
  private var outer = Outer.notStarted
  private var newest: Inner?
  /// Older inner upstreams, kept until the newest has subscribed.
  private var left: [UpstreamID] = []
  private var outlet = Outlet()

  init(ending: Ending = .withBoth) {
    self.ending = ending
  }

  mutating func demanded(at now: Duration) -> [FlowAction] {
    guard outer == .notStarted, outlet.isOpen else {
      return outlet.demanded() + pullNewestIfWaiting()
    }
    outer = .running
    return [.start(Self.outer), .pull(Self.outer)] + outlet.demanded()
  }

  mutating func opened(_ inner: UpstreamID, from upstream: UpstreamID) -> [FlowAction] {
    guard outer == .running, upstream == Self.outer else { return [.stop(inner)] }
    if let newest { left.append(newest.id) }
    newest = Inner(id: inner, isPulled: false)
    return [.start(inner)] + pullNewestIfWaiting() + [.pull(Self.outer)]
  }

  mutating func subscribed(_ upstream: UpstreamID) -> [FlowAction] {
    guard upstream == newest?.id else { return [] }
    return stopLeft()
  }

  mutating func arrived(
    _ arrival: ArrivalID,
    from upstream: UpstreamID,
    at now: Duration
  ) -> [FlowAction] {
    guard upstream == newest?.id else { return [.discard(arrival)] }
    newest?.isPulled = false
    return outlet.append(arrival)
  }

  mutating func finished(_ upstream: UpstreamID, at now: Duration) -> [FlowAction] {
    switch upstream {
    case Self.outer:
      outer = .ended
    case newest?.id:
      newest = nil
      if ending == .withTheInner { return stopAll() + outlet.finish() }
    default:
      left.removeAll { $0 == upstream }
    }
    return outer == .ended && newest == nil ? stopLeft() + outlet.finish() : []
  }

  mutating func failed(
    _ upstream: UpstreamID,
    with failure: ArrivalID,
    at now: Duration
  ) -> [FlowAction] {
    if upstream == Self.outer, outer == .running {
      outer = .ended
    } else if upstream == newest?.id {
      newest = nil
    } else {
      left.removeAll { $0 == upstream }
      return [.discard(failure)]
    }
    return stopAll() + outlet.fail(with: failure)
  }

  mutating func cancelled() -> [FlowAction] {
    stopAll() + outlet.close()
  }

  private mutating func pullNewestIfWaiting() -> [FlowAction] {
    guard outlet.isWaiting, let newest, !newest.isPulled else { return [] }
    self.newest?.isPulled = true
    return [.pull(newest.id)]
  }

  private mutating func stopLeft() -> [FlowAction] {
    defer { left.removeAll() }
    return left.map { .stop($0) }
  }

  private mutating func stopAll() -> [FlowAction] {
    var actions: [FlowAction] = outer == .running ? [.stop(Self.outer)] : []
    outer = .ended
    actions += stopLeft()
    if let newest { actions.append(.stop(newest.id)) }
    newest = nil
    return actions
  }
}
