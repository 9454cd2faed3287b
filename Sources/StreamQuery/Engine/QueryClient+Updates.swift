nonisolated extension QueryClient {
  /// Changes the query of an existing observer.
  func update<Value>(
    _ id: ObserverID,
    _ query: Query<Value>,
    _ options: ObserverOptions?
  ) {
    update(id, EntryKey(query.key), query.definition, options)
  }

  func update(
    _ id: ObserverID,
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ options: ObserverOptions?
  ) {
    let definition = placing(definition, on: key, for: id)
    // The placeholders are compared outside the lock. A view that makes its query anew each time gives an
    // equal placeholder; the observer then keeps the old one.
    let old = definition.placeholder.flatMap { _ in cache.read { $0.placeholder(of: id, on: key) } }
    let isEqual = definition.placeholder.flatMap { old?.holdsTheSame(as: $0) } ?? false
    resolving(key, definition, options) { state, key, index, resolution, transaction in
      let (query, resolvedOptions) = (resolution.query, resolution.options)
      // There is no observer if it was cancelled, or if the client was shut down.
      guard let observer = state.find(id) else { return }
      let isKept = isEqual && state.placeholder(of: id, on: key) === old
      let entry = index ?? state.entry(key, query, &transaction)
      state.adopt(entry, query, &transaction)
      state.placeInitialData(entry, resolution.initialData, &transaction)
      if Int(state.observers[observer].entry) == entry {
        state.reobserve(
          observer,
          query: query,
          resolvedOptions: resolvedOptions,
          keepsPlaceholder: isKept,
          &transaction
        )
      } else {
        state.move(
          observer,
          to: entry,
          query: query,
          resolvedOptions: resolvedOptions,
          &transaction
        )
      }
    }
  }

  /// Evaluates the dynamic options of an entry's observers again, after the entry changed.
  func askOptions(of entry: EntryID) {
    // The number of evaluations in a row that led to this one, because each changed the entry.
    let reevaluationDepth = cache.record { state -> Int in
      guard let index = state.find(entry) else { return 0 }
      defer { state.slots[index].reevaluationDepth = 0 }
      return state.slots[index].reevaluationDepth
    }
    guard reevaluationDepth > 0 else { return }
    func ask(_: Int) -> CommitAnswer<(revision: UInt32, answers: [DynamicOptions.Answer]), Void> {
      let now = cache.now(isDated: false).instant
      let asked = cache.read { $0.dynamicOptions(of: entry, at: now) }
      guard let asked, !asked.queries.isEmpty else { return .over(()) }
      return .answer(ReevaluationDepth.$current.withValue(reevaluationDepth) { asked.answered })
    }
    commit(rounds: 3, asking: ask) { evaluated, isLast, state, transaction -> Void? in
      transaction.reevaluationDepth = reevaluationDepth
      guard let index = state.find(entry) else { return () }
      if state.slots[index].revision != evaluated.revision {
        // The option closures, which are user code, have changed the entry. That change has queued
        // another evaluation, so these answers are dropped.
        if state.slots[index].reevaluationDepth > reevaluationDepth { return () }
        guard isLast else { return nil }
      }
      for answer in evaluated.answers {
        guard let observer = state.observer(answer, index) else { continue }
        state.answered(observer, answer.query, answer.resolvedOptions, &transaction)
      }
      return ()
    }
  }

  /// Returns a query's definition with the placeholder for an observer, if a closure makes placeholders.
  ///
  /// This runs user code, so do not call it under the lock.
  ///
  /// - Parameters:
  ///   - definition: The definition of the query.
  ///   - key: The observer's new or unchanged key.
  ///   - observer: The observer; `nil` if it is a new one.
  /// - Returns: The definition with the placeholder; `definition` itself if it has no such closure.
  @inline(__always)
  func placing(
    _ definition: QueryDefinition,
    on key: EntryKey,
    for observer: ObserverID? = nil
  ) -> QueryDefinition {
    definition.makesPlaceholder ? placing(newly: definition, on: key, for: observer) : definition
  }

  // This is a separate function, so that observers without a closure that makes placeholders do not pay for
  // it.
  @inline(never)
  private func placing(
    newly definition: QueryDefinition,
    on key: EntryKey,
    for observer: ObserverID?
  ) -> QueryDefinition {
    var present = observer.flatMap { id in cache.read { $0.presence(of: id) } }
    if present?.key.valueType != key.valueType { present = nil }
    let former = present?.query?.resolved.definition
    var previous = former?.madePlaceholder?.previous
    var placeholder = former?.placeholder
    // At the same key the placeholder stays, because a view may make its query anew each time that
    // it is drawn.
    if present?.key != key || former?.madePlaceholder == nil {
      // The data with its optimistic changes is computed here, outside the lock.
      if let present, present.key != key, let box = present.snapshot.data {
        previous = (box.settled, present.key.key)
      }
      placeholder = definition.makePlaceholder?(previous?.box, previous?.key)
    }
    return definition.with { extras in
      extras.placeholder = placeholder
      extras.madePlaceholder = .init(plain: definition, previous: previous)
    }
  }

  /// Lets the fetch that runs for an observer go on for a while after the observer leaves, unless
  /// an option decides this.
  func linger(_ duration: Duration, after id: ObserverID) {
    transaction(isDated: false) { state, transaction in
      guard let observer = state.find(id), state.fetchStatus(for: observer) != .idle,
        let query = state.observers[observer].query, !query.resolved.hasAbandonment
      else { return }
      var resolvedOptions = state.observers[observer].resolvedOptions
      guard resolvedOptions.linger == nil else { return }
      resolvedOptions.linger = TimeSpan(duration)
      state.reobserve(
        observer,
        query: query,
        resolvedOptions: resolvedOptions,
        &transaction
      )
    }
  }

  /// Removes a waiter whose caller was cancelled.
  func left(_ waiter: Waiter) {
    transaction { state, transaction in state.removeWaiter(waiter, &transaction) }
  }

  /// Removes the waiters of a bulk call whose caller was cancelled.
  func leaving(_ group: WaitGroup) -> @Sendable () -> Void {
    { self.transaction { state, transaction in state.removeWaiters(group, &transaction) } }
  }
}
