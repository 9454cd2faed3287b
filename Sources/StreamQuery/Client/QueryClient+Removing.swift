nonisolated extension QueryClient {
  /// Cancels the fetches of entries and undoes their changes.
  ///
  /// Writes and invalidations that were made during a fetch stay. The caller that started a fetch gets the
  /// restored data, or throws `CancellationError` if there is none, or only a part of a stream. Other waiting
  /// callers throw that error in any case, also if their fetch has not begun, because a store is being read.
  ///
  /// - Parameter filter: Selects the entries.
  public nonisolated func cancel(_ filter: QueryFilter) {
    let cancelled = cancelRestoringCallers(filter, sparesTurns: true)
    defer { for caller in cancelled { caller.resume() } }
    select(filter) { state, indices, transaction in
      for index in indices {
        state.input(index, &transaction) { $0.cancelRequested(in: $1) }
      }
    }
  }

  /// Cancels the fetch of a query.
  ///
  /// - Parameter query: The query.
  public nonisolated func cancel<Value>(_ query: Query<Value>) { cancel(.query(query)) }

  /// Cancels the fetch of a key.
  ///
  /// - Parameter key: The key.
  @_disfavoredOverload
  public nonisolated func cancel<Value>(_ key: QueryKey<Value>) { cancel(.key(key)) }

  /// Removes entries with their data.
  ///
  /// Streams of a removed key stay attached, show pending and idle, and fetch at the next trigger,
  /// not at once. Waiting callers throw `CancellationError`; late answers are dropped.
  ///
  /// Records of stores are removed, too. For a record that was not used in this process, only the key is
  /// known; it counts as ``QueryFilter/inactive`` and successful. If the filter needs more, such as a
  /// predicate or `.stale`, the record counts as matched, unless it is kept without a limit of age.
  ///
  /// - Parameter filter: Selects the entries.
  /// - Complexity: One transaction, which locks the cache for about a microsecond per removed
  ///   entry; `.all` is like ``clear()``.
  public nonisolated func remove(_ filter: QueryFilter) {
    let cancelled = cancelRestoringCallers(filter)
    defer { for caller in cancelled { caller.resume() } }
    changeStored(filter, removes: true)
    if case .plain(.all) = filter.node {
      transaction { state, transaction in
        state.announce(.swept(.all, invalidates: false), &transaction)
        state.announce(.called(.remove, .all, count: state.slots.keys.count), &transaction)
        state.removeAll(reason: .removed, &transaction)
      }
      return
    }
    recordBulkChange(filter, invalidates: false)
    select(filter) { state, indices, transaction in
      filter.announce(.remove, count: indices.count, to: &state, &transaction)
      for index in indices { state.remove(index, reason: .removed, &transaction) }
    }
  }

  /// Removes the entry of a query.
  ///
  /// - Parameter query: The query.
  public nonisolated func remove<Value>(_ query: Query<Value>) {
    openStore(of: query)
    remove(.query(query))
  }

  /// Removes the entry of a key.
  ///
  /// - Parameter key: The key.
  @_disfavoredOverload
  public nonisolated func remove<Value>(_ key: QueryKey<Value>) { remove(.key(key)) }

  /// Removes every entry, and every mutation run except durable ones.
  ///
  /// With an outbox, this is no logout: durable runs stay, and the client sends them for the next user.
  /// `QueryAccount.end()` ends an account with all of its data, including changes that wait to be sent.
  /// Without durable mutations and accounts, call this method at logout.
  ///
  /// Work in flight is cancelled, its callbacks are not called, and its callers throw
  /// `CancellationError`. The handle of a finished mutation run still shows it until the handle is
  /// reset or dropped. An archive brings back paused runs, but not runs that were performed: see
  /// *Stores, export and import* of `StreamQueryPersistence`.
  ///
  /// - Complexity: One transaction, which locks the cache for O(*k*) in the runs and the entries
  ///   that are observed or fetched; the other entries are freed afterwards. O(*n*) while events
  ///   are observed.
  public nonisolated func clear() {
    let cancelled = cancelRestoringCallers(.all)
    defer { for caller in cancelled { caller.resume() } }
    dropDeferredWrites()
    transaction { state, transaction in
      state.endImports(&transaction)
      state.announce(.called(.clear, .all, count: state.slots.keys.count), &transaction)
      state.clearMutations(sparesKept: true, &transaction)
      state.removeAll(reason: .cleared, &transaction)
    }
  }

  /// Ends the client: fetches are cancelled, streams end, callers throw ``QueryError/shutDown`` or
  /// `CancellationError`.
  ///
  /// Later writes are not kept. It takes as long as ``clear()``, plus the time to end the streams.
  public nonisolated func shutDown() {
    endWork(isErased: false)
  }
}
