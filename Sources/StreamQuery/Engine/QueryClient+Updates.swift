extension QueryClient {
  /// Changes the query of an existing observer.
  nonisolated func update<Value>(
    _ id: ObserverID,
    _ query: Query<Value>,
    _ options: ObserverOptions?
  ) {
    update(id, EntryKey(query.key), query.definition, options)
  }

  nonisolated func update(
    _ id: ObserverID,
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ options: ObserverOptions?
  ) {
    let definition = placing(definition, on: key, for: id)
    // Compared outside the lock: a query that a view rebuilds each time has an equal placeholder.
    let old = definition.placeholder.flatMap { _ in cache.read { $0.placeholder(of: id, on: key) } }
    let isEqual = definition.placeholder.flatMap { old?.holdsTheSame(as: $0) } ?? false
    resolving(key, definition, options) {
      state,
      index,
      query,
      resolvedOptions,
      initialData,
      transaction in
      // The observer has ended: it was cancelled, or the client was shut down.
      guard let observer = state.find(id) else { return }
      let isKept = isEqual && state.placeholder(of: id, on: key) === old
      let entry = index ?? state.entry(key, query, &transaction)
      state.adopt(entry, query, &transaction)
      state.placeInitialData(entry, initialData, &transaction)
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

  /// The definition of an observer, with the placeholder that its function makes.
  ///
  /// It runs user code: never call it under the lock.
  ///
  /// - Parameters:
  ///   - definition: The definition of the query.
  ///   - key: The key that the observer comes to, or stays at.
  ///   - observer: The observer; `nil` if it begins.
  /// - Returns: The definition; the same one if it has no such function.
  @inline(__always)
  nonisolated func placing(
    _ definition: QueryDefinition,
    on key: EntryKey,
    for observer: ObserverID? = nil
  ) -> QueryDefinition {
    definition.makesPlaceholder ? placing(newly: definition, on: key, for: observer) : definition
  }

  // Separate, so that observers without such a function do not pay for it.
  @inline(never)
  private nonisolated func placing(
    newly definition: QueryDefinition,
    on key: EntryKey,
    for observer: ObserverID?
  ) -> QueryDefinition {
    var present = observer.flatMap { id in cache.read { $0.presence(of: id) } }
    if present?.key.valueType != key.valueType { present = nil }
    let former = present?.query?.resolved.definition
    var previous = former?.madePlaceholder?.previous
    var placeholder = former?.placeholder
    // Otherwise it stays: a view may make its query anew each time that it is drawn.
    if present?.key != key || former?.madePlaceholder == nil {
      // The data with layers is made here, outside the lock.
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

  /// Lets the fetch that runs for an observer outlive the observer, unless an option decides this.
  nonisolated func linger(_ duration: Duration, after id: ObserverID) {
    transaction(isDated: false, startsFetches: false) { state, transaction in
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

  /// Fetches one key for an explicit call, and watches until the fetch is settled.
  nonisolated func refetchOne(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ options: ObserverOptions?,
    part: FetchPart = .whole,
    superseding: Bool
  ) async throws -> (outcome: WaitOutcome, end: EntryEnd?) {
    let start = try await whenRestored(definition) {
      let request = FetchRequest(cause: .manual, isSuperseding: superseding, part: part)
      return resolving(key, definition, options) {
        guard $3.participation != .restoring else { return .restoring }
        return $0.fetch(key, at: $1, .always, request, role: .watching, $2, $3.freshness, $4, &$5)
      }
    }
    return try await outcome(of: start, of: key)
  }

  /// Begins to fetch one key for an explicit call, without waiting.
  ///
  /// If a store is still being read, the fetch begins after that, if the observer still observes the key.
  nonisolated func startRefetchOne(
    for observer: ObserverID,
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ options: ObserverOptions?,
    part: FetchPart = .whole,
    superseding: Bool
  ) {
    let request = FetchRequest(cause: .manual, isSuperseding: superseding, part: part)
    let begin: @Sendable () -> FetchStart = { [self] in
      resolving(key, definition, options) {
        // Nobody would end the fetch.
        guard let row = $0.find(observer), $1 == Int($0.observers[row].entry) else {
          return .missingFetch
        }
        guard $3.participation != .restoring else { return .restoring }
        return $0.fetch(key, at: $1, .always, request, role: nil, $2, $3.freshness, $4, &$5)
      }
    }
    guard case .restoring = begin() else { return }
    // Only for as long as the store is read.
    _ = Task(executorPreference: configuration.executor) {
      _ = try? await self.whenRestored(definition, begin)
    }
  }

  /// Removes a waiter whose caller was cancelled.
  nonisolated func leaving(_ waiter: Waiter) -> @Sendable () -> Void {
    { self.transaction { state, transaction in state.leave(waiter, &transaction) } }
  }

  /// Removes the waiters of a bulk call whose caller was cancelled.
  nonisolated func leaving(_ group: WaitGroup) -> @Sendable () -> Void {
    { self.transaction { state, transaction in state.leave(group, &transaction) } }
  }
}
