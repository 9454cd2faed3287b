internal import Synchronization

nonisolated extension QueryClient {
  /// Ends the waits of the client: for its clock and for its signals.
  package func stopWaiting() {
    sources.cancel()
    timer.cancel()
    hitReports?.stopWaiting()
    signals.finish()
  }

  /// Stops everything, and releases all that the client held.
  ///
  /// A client that was shut down can still be erased. Data in stores is not touched, but nothing
  /// more is written.
  package func erase() {
    erasure.markBegun()
    endWork(isErased: true)
    forgetDefaults()
    #if DEBUG
    let told = toldMisuses.withLock { told in
      defer { told = [] }
      return told
    }
    withExtendedLifetime(told) {}
    #endif
  }

  /// Waits until a client that has ended does nothing more: all effects of its end are complete, on any
  /// thread, and nothing is read or written.
  package func waitUntilOver() async {
    let wait = SharedOneShot<Void>()
    transaction { state, _ in state.actionQueue.enqueue(.reached(wait)) }
    _ = await wait.wait()
    await persisters.persister?.waitUntilOver()
    await durableRuns?.waitUntilOver()
  }

  /// Whether the client was shut down.
  package var isOver: Bool { cache.read { $0.isShutDown } }

  /// Tells receivers of events that work ends because the client is being freed.
  ///
  /// Nothing may retain the client from now on, so another object performs the actions.
  func tellLastEvents() {
    guard cache.read({ $0.emitsEvents && !$0.isShutDown }) else { return }
    cache.transaction(LastActions(receivers: eventReceivers), at: cache.now()) {
      state,
      transaction in
      state.stopPersisting()
      state.shutDown(&transaction)
    }
  }

  func endWork(isErased: Bool) {
    stopWaiting()
    persisters.end(isErased: isErased, making: isErased ? [] : takeDeferredWrites())
    dropDeferredWrites()
    durableRuns?.end(writing: !isErased)
    transaction { state, transaction in
      // The changes are no longer recorded, so the data in stores stays when the entries are removed.
      state.stopPersisting()
      state.shutDown(&transaction)
      if isErased {
        state.forgetFormerRuns(&transaction)
        state.forgetRecordedValues()
      }
    }
    releaseRecordedErrors()
    hitReports?.reportLastHits()
    shutdownHandlers.finish()
    eventBroadcaster.finish()
    // Readers of these streams get a last element at the end, even if the thread that would have sent it
    // comes too late.
    counts.finish(sending: (), isDrained: true)
    recordNews.finish(sending: (), isDrained: true)
    mutationNews.finish(sending: (), isDrained: true)
  }
}

/// Performs the last actions of a client that is being freed.
///
/// It does not refer to the client. It reports and ends the work that ends with the client, such as a fetch
/// that waits for its next attempt. Nobody is left to wait for other actions.
struct LastActions: ActionRunner {
  let receivers: EventReceivers

  func perform(_ action: Action) {
    switch action {
    case .emit(let event): receivers.tell(event)
    case .emitRemoval(let removed, let slot, let count):
      if let event = removed.event(of: slot, count) { receivers.tell(event) }
    case .cancel(let job): job.tasks.cancel()
    case .wake(let task): task.resume()
    case .settle(let waiters, let outcome):
      for waiter in waiters { waiter.resolve(outcome) }
    case .reached(let wait): wait.give(())
    case .start, .arm, .ask, .askPolicy, .unsettled, .crowded, .settled, .recount, .measure, .evict,
      .persist, .mutation, .recorded, .recordValue:
      break
    }
  }

  /// No drain task is needed: a thread that performs actions retains the client, so there is no
  /// such thread now.
  func startDrainTask() {}

  var isOfLowPriority: Bool { false }

  func performInCaller(_ callerAction: CallerAction) {}
}
