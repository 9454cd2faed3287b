nonisolated extension QueryClient {
  /// Observes a query: its present state, and every newer one.
  ///
  /// The stream *is* the subscription. It counts as an observer from this call until its task is
  /// cancelled or its last reference is dropped, even if nobody iterates it. Its first element is
  /// the state at the call or a newer one, with cached data, and already fetching if a fetch was
  /// due. A slow observer gets the newest state and may miss the states in between.
  ///
  /// A fetch that this call starts sees the caller's task-locals and has its priority; a running
  /// fetch is raised at least to the caller's priority: <doc:Networking#Task-locals-and-priority>.
  ///
  /// ```swift
  /// for await result in client.stream(.user(42)) {
  ///   show(result.data, refreshing: result.isFetching)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of this observer, over those of the query.
  /// - Returns: A stream for one observer; it ends when cancelled or when the client is shut down.
  public nonisolated func stream<Value>(
    _ query: Query<Value>,
    options: ObserverOptions? = nil
  ) -> AsyncStream<QueryResult<Value>> {
    subscribe(query, options: options).stream()
  }

  /// Observes a query with a cold sequence that stays on the caller's actor.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of each observer, over those of the query.
  /// - Returns: A sequence; each of its iterators is its own subscription.
  @inlinable
  public nonisolated func results<Value>(
    of query: Query<Value>,
    options: ObserverOptions? = nil
  ) -> QueryResults<Value> {
    // The options are only compared with `nil`, because unwrapping would copy them.
    options == nil ? QueryResults(query, client: self) : results(of: query, with: options)
  }

  /// Makes a sequence with options.
  ///
  /// This is never inlined, so that callers without options need no closure that copies them.
  @inline(never)
  @usableFromInline
  func results<Value>(
    of query: Query<Value>,
    with options: ObserverOptions?
  ) -> QueryResults<Value> {
    QueryResults(query, client: self) { self.subscribe(query, options: options) }
  }

  /// A handle on one observer, which can change its query and options.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of this observer, over those of the query.
  /// - Returns: The handle; it is already observing.
  public nonisolated func observer<Value>(
    of query: Query<Value>,
    options: ObserverOptions? = nil
  ) -> QueryObserver<Value> {
    QueryObserver(
      subscription: subscribe(query, options: options),
      query: query,
      options: options
    )
  }

  func subscribe<Value>(
    _ query: Query<Value>,
    options: ObserverOptions?
  ) -> Subscription {
    subscribe(EntryKey(query.key), query.definition, options: options)
  }

  func subscribe(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    options: ObserverOptions?
  ) -> Subscription {
    options == nil
      ? subscribe(key, definition) : subscribeWithOptions(key, definition, with: options)
  }

  /// Subscribes with options.
  ///
  /// This is never inlined, so that callers without options need no room to copy them.
  @inline(never)
  private func subscribeWithOptions(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    with options: ObserverOptions?
  ) -> Subscription {
    let placed = placing(definition, on: key)
    let id = resolving(key, placed, options, isArrival: true) {
      $0.addObserver($2, at: $1, $3.query, $3.options, $3.initialData, &$4)
    }
    return hold(id, key, definition)
  }

  /// Observes a query without observer options, by its erased key and the type of its values.
  @usableFromInline
  func subscribeErased(
    _ key: AnyQueryKey,
    _ type: any Any.Type,
    _ definition: QueryDefinition
  ) -> Subscription {
    subscribe(EntryKey(key, valueType: type), definition)
  }

  func subscribe(_ key: EntryKey, _ definition: QueryDefinition) -> Subscription {
    // This is an `if` statement, because a conditional expression would retain the definition.
    if definition.makesPlaceholder { return subscribeWithOptions(key, definition, with: nil) }
    let id = resolving(key, definition, isArrival: true) {
      $0.addObserver($2, at: $1, $3.query, $3.options, $3.initialData, &$4)
    }
    return hold(id, key, definition)
  }

  private func hold(
    _ id: ObserverID,
    _ key: EntryKey,
    _ definition: QueryDefinition
  ) -> Subscription {
    let subscription = Subscription(client: self, id: id)
    if WaitObservation.hasBegun, waitObserver == nil {
      observerBegins(for: "news of \(key.key)", subscription)
    }
    if !definition.triggers.isEmpty { subscription.forward(definition.triggers, into: key) }
    return subscription
  }
}
