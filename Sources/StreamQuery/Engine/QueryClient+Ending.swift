internal import Synchronization

extension QueryClient {
  /// Stops everything: fetches are cancelled, streams end, callers throw ``QueryError/shutDown`` or
  /// `CancellationError`.
  ///
  /// Later writes are not kept. It takes as long as ``clear()``, plus the time to end the streams.
  public nonisolated func shutDown() {
    end(isErased: false)
  }

  /// Stops waiting for time and signals, for a client that will get no more of them.
  package nonisolated func stopWaiting() {
    sources.cancel()
    timer.cancel()
    hitReports?.stopWaiting()
    signals.finish()
  }

  /// Stops everything, and holds nothing from now on that it held before.
  ///
  /// A client that was shut down can still be erased. What is kept in stores is not touched, but
  /// nothing more is written.
  package nonisolated func erase() {
    erasure.begin()
    end(isErased: true)
    forgetDefaults()
    #if DEBUG
    let told = toldMisuses.withLock { told in
      defer { told = [] }
      return told
    }
    withExtendedLifetime(told) {}
    #endif
  }

  /// Waits until a client that has ended does nothing more: all that its end has caused was done, by
  /// whichever thread, and nothing is read or written.
  package nonisolated func waitUntilOver() async {
    let wait = SharedOneShot<Void>()
    transaction { state, _ in state.actionQueue.append(.wake(.jointly(wait))) }
    _ = await wait.take()
    await persisters.persister?.waitUntilOver()
    await keeper?.waitUntilOver()
  }

  /// Whether it was shut down.
  package nonisolated var isOver: Bool { cache.read { $0.isShutDown } }

  /// Tells receivers of events of what ends because the client is being freed.
  ///
  /// Nothing may hold the client from now on, so somebody else performs the actions.
  nonisolated func tellLastEvents() {
    guard cache.read({ $0.emitsEvents && !$0.isShutDown }) else { return }
    cache.transaction(LastActions(receivers: eventReceivers), at: cache.now()) {
      state,
      transaction in
      state.stopPersisting()
      state.end(&transaction)
    }
  }

  private nonisolated func end(isErased: Bool) {
    stopWaiting()
    persisters.end(isErased: isErased, making: isErased ? [] : takeDeferredWrites())
    dropDeferredWrites()
    keeper?.end(writing: !isErased)
    transaction { state, transaction in
      // What was kept stays.
      state.stopPersisting()
      state.end(&transaction)
      if isErased { state.forgetFormerRuns(&transaction) }
    }
    hitReports?.end()
    shutdownHandlers.finish()
    eventBroadcaster.finish()
    counts.finish()
    mutationNews.finish()
  }
}

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

extension QueryClient {
  /// Goes back to the defaults of the configuration, which has none for mutations.
  nonisolated func forgetDefaults() {
    let defaults = configuration.defaults.over(configuration.preset)
    replaceDefaults(isErasing: true) { $0.with(client: defaults, prefixes: []) }
    replaceMutationDefaults(isErasing: true) { _ in MutationDefaultsTable() }
  }

  /// Replaces the defaults of mutations; after the client was erased, only its erasure does.
  nonisolated func replaceMutationDefaults(
    isErasing: Bool = false,
    _ change: (MutationDefaultsTable) -> MutationDefaultsTable
  ) {
    let old = mutationDefaults.withLock { table -> MutationDefaultsTable in
      let old = table
      // Asked under the lock: what comes before the erasure is forgotten by it.
      if isErasing || !isErased { table = change(old) }
      return old
    }
    // Its closures are user code: they are released outside the lock.
    _ = old
  }

  nonisolated func replaceDefaults(
    isErasing: Bool = false,
    _ change: (DefaultsTable) -> DefaultsTable
  ) {
    let old = transaction {
      state,
      transaction -> (DefaultsTable, [ObjectIdentifier: StoredQuery])? in
      // Asked under the lock: what comes before the erasure is forgotten by it.
      if isErased, !isErasing { return nil }
      let old = (state.defaults.table, state.bareQueries)
      state.replaceDefaults(change(old.0), &transaction)
      state.bareQueries = [:]
      return old
    }
    // Its closures are user code: they are released outside the lock.
    _ = old
  }
}
