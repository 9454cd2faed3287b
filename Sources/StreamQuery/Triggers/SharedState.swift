internal import Synchronization

/// One on-or-off source of the operating system, shared by all listeners of the process.
///
/// The source starts with the first iterator and stops with the last. Each iterator has its own
/// subscription: it gets the present state first, then changes, conflated as ``StateBroadcast``
/// says. `next` returns `nil` at once when its task is cancelled, and the subscription ends with
/// it.
final class SharedState: Sendable {
  /// Takes a state; may be called on any thread, but not concurrently, and in the order of the
  /// facts.
  typealias Report = @Sendable (Bool) -> Void
  /// Ends the reports; called once, on any thread.
  typealias Stop = @Sendable () -> Void
  /// Starts the reports.
  ///
  /// It may report before it returns, and should if the present state is known.
  typealias Start = @Sendable (_ report: @escaping Report) -> Stop

  private struct State {
    var broadcast = StateBroadcast()
    var waits: [StateBroadcast.WaitID: CheckedContinuation<Bool?, Never>] = [:]
    var stops: [StateBroadcast.RunID: Stop] = [:]
  }

  private let start: Start
  private let state = Mutex(State())

  init(start: @escaping Start) {
    self.start = start
  }

  /// How many iterators listen.
  var subscriberCount: Int { state.withLock { $0.broadcast.subscriberCount } }

  func subscribe() -> Subscription {
    let (id, actions) = state.withLock { $0.broadcast.subscribed() }
    perform(actions)
    return Subscription(id: id, source: self)
  }

  fileprivate func next(
    for id: StateBroadcast.SubscriberID,
    isolation: isolated (any Actor)?
  ) async -> Bool? {
    guard !Task.isCancelled else {
      leave(id)
      return nil
    }
    switch state.withLock({ $0.broadcast.asked(by: id) }) {
    case .state(let present):
      return present
    case .finished:
      return nil
    case .wait(let wait):
      return await withTaskCancellationHandler {
        await withCheckedContinuation(isolation: isolation) { continuation in
          park(continuation, as: wait, for: id)
        }
      } onCancel: {
        leave(id)
      }
    }
  }

  fileprivate func leave(_ id: StateBroadcast.SubscriberID) {
    holding(self) { apply { $0.left(id) } }
  }

  /// If the cancellation came first, the subscriber has left already, and the wait ends at once.
  private func park(
    _ continuation: CheckedContinuation<Bool?, Never>,
    as wait: StateBroadcast.WaitID,
    for id: StateBroadcast.SubscriberID
  ) {
    let actions = state.withLock { state in
      state.waits[wait] = continuation
      return state.broadcast.waited(wait, by: id)
    }
    perform(actions)
  }

  private func apply(_ input: (inout StateBroadcast) -> [StateBroadcast.Action]) {
    perform(state.withLock { input(&$0.broadcast) })
  }

  private func perform(_ actions: [StateBroadcast.Action]) {
    for action in actions {
      switch action {
      case .start(let run):
        begin(run)
      case .stop(let run):
        state.withLock { $0.stops.removeValue(forKey: run) }?()
      case .resume(let wait, let present):
        state.withLock { $0.waits.removeValue(forKey: wait) }?.resume(returning: present)
      }
    }
  }

  private func begin(_ run: StateBroadcast.RunID) {
    // Strong: the running source keeps this alive until `stop`, which comes with the last subscriber
    // and releases the closure. (A weak reference here reads as a leak to LeakSanitizer, which does
    // not see how an object that is never released refers to its side table.)
    let stop = start { present in
      self.apply { $0.reported(present, by: run) }
    }
    // The subscriber that made the source start does not have its subscription yet and cannot have
    // left: the run is still wanted.
    state.withLock { $0.stops[run] = stop }
  }

  /// The subscription of one iterator; ends when the iterator is released or its task is cancelled.
  final class Subscription: Sendable {
    private let id: StateBroadcast.SubscriberID
    private let source: SharedState

    fileprivate init(id: StateBroadcast.SubscriberID, source: SharedState) {
      self.id = id
      self.source = source
    }

    deinit {
      source.leave(id)
    }

    func next(isolation: isolated (any Actor)?) async -> Bool? {
      await source.next(for: id, isolation: isolation)
    }
  }
}
