internal import Synchronization

/// One on-or-off source of the operating system, shared by all listeners of the process.
///
/// The source starts with the first iterator and stops with the last. Each iterator has its own
/// subscription: it gets the present state first, then changes, conflated as ``StateInbox`` says.
/// `next` returns `nil` at once when its task is cancelled, and the subscription ends with it.
final class SharedState: Sendable {
  /// Takes a state; may be called on any thread, but not concurrently, and in the order of the
  /// changes.
  typealias Report = @Sendable (Bool) -> Void
  /// Ends the reports; called once, on any thread.
  typealias Stop = @Sendable () -> Void
  /// Starts the reports.
  ///
  /// The function may report before it returns, and should if the present state is known.
  typealias Start = @Sendable (_ report: @escaping Report) -> Stop

  private struct State {
    /// The listeners in the order in which they came; they are resumed in this order.
    var listeners: [Mailbox<StateInbox>] = []
    /// The newest report of the running source; `nil` before its first one.
    var present: Bool?
    /// The number of the source's present run, so that late reports of an earlier run are ignored.
    var run = 0
    var stop: Stop?
  }

  private let start: Start
  private let state = Mutex(State())

  init(start: @escaping Start) {
    self.start = start
  }

  /// The number of iterators that listen.
  var subscriberCount: Int { state.withLock { $0.listeners.count } }

  func subscribe() -> Listener {
    let mailbox = Mailbox<StateInbox>()
    let run = state.withLock { state -> Int? in
      state.listeners.append(mailbox)
      // The present state is given under the lock, so that no report comes in between. Nobody waits
      // yet, so nobody is resumed.
      if let present = state.present { mailbox.receive(present) }
      guard state.listeners.count == 1 else { return nil }
      state.run += 1
      return state.run
    }
    if let run {
      // The reference is strong: the running source keeps this object alive until `stop`, which
      // comes with the last subscriber and releases the closure. (LeakSanitizer would report a weak
      // reference as a leak: it does not see how an object that is never released refers to its
      // side table.)
      let stop = start { self.reported($0, by: run) }
      // The subscriber that made the source start does not have its subscription yet, so it cannot
      // have left.
      state.withLock { $0.stop = stop }
    }
    return Listener(mailbox: mailbox, source: self)
  }

  private func reported(_ present: Bool, by run: Int) {
    let listeners = state.withLock { state -> [Mailbox<StateInbox>] in
      // A source that is being stopped may still report; such a report is ignored.
      guard run == state.run, !state.listeners.isEmpty, present != state.present else { return [] }
      state.present = present
      return state.listeners
    }
    for listener in listeners { listener.receive(present) }
  }

  /// Ends a subscription, because its iterator was released or the iterator's task was cancelled.
  private func removeMailbox(_ mailbox: Mailbox<StateInbox>) {
    let stop = state.withLock { state -> Stop? in
      state.listeners.removeAll { $0 === mailbox }
      guard state.listeners.isEmpty else { return nil }
      // Nobody observes the source from here on, so the state may be wrong at the next start.
      state.present = nil
      return state.stop.take()
    }
    stop?()
    mailbox.close()
  }

  /// The subscription of one iterator; ends when the iterator is released or its task is cancelled.
  final class Listener: Sendable {
    private let mailbox: Mailbox<StateInbox>
    private let source: SharedState

    fileprivate init(mailbox: Mailbox<StateInbox>, source: SharedState) {
      self.mailbox = mailbox
      self.source = source
    }

    deinit {
      source.removeMailbox(mailbox)
    }

    /// The next state, if it is there already.
    func take() -> Bool? { mailbox.take() }

    func next(isolation: isolated (any Actor)?) async -> Bool? {
      await withTaskCancellationHandler {
        // The closure captures the isolation, so that it stays on the caller's actor.
        _ = isolation
        return await mailbox.next()
      } onCancel: {
        holding(self) { source.removeMailbox(mailbox) }
      }
    }
  }
}
