/// Performs what the end of a client leaves to do that nobody holds any more.
///
/// Without the client, which is being freed: it tells of what ends with it, such as a fetch that waits
/// for its next attempt, and ends it. Nobody waits for anything else.
struct LastActions: ActionRunner {
  let receivers: EventReceivers

  func perform(_ action: Action) {
    switch action {
    case .emit(let event): receivers.tell(event)
    case .emitRemoval(let removed, let slot, let count):
      if let event = removed.event(of: slot, count) { receivers.tell(event) }
    case .cancel(let job): job.tasks.cancel()
    case .wake(let suspended): suspended.wake()
    case .settle(let waiters, let outcome):
      for waiter in waiters { waiter.resolve(outcome) }
    case .reached(let wait): wait.give(())
    case .start, .arm, .ask, .unsettled, .crowded, .recount, .measure, .evict, .persist, .mutation:
      break
    }
  }

  /// There is nothing to take over: who performs actions holds the client.
  func sweep() {}

  var isOfLowPriority: Bool { false }

  func fulfil(_ duty: CallerDuty) {}
}
