extension QueryClient {
  /// Observes a query: its state now, and every newer one.
  ///
  /// The stream *is* the subscription. It counts as an observer from this call until its task is
  /// cancelled or its last reference is dropped, also when nobody iterates it. Its first element is
  /// the state at the call or a newer one, cached data included, `fetching` already marked if a
  /// fetch was due. A slow consumer gets the newest state and may miss those between. A fetch that begins
  /// at the call sees the caller's task-locals and has its priority; one that is under way becomes at
  /// least as urgent as the caller: <doc:WhereWorkRuns>.
  ///
  /// ```swift
  /// for await result in client.stream(.user(42)) {
  ///   show(result.data, refreshing: result.isFetching)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: What to observe.
  ///   - options: What this observer asks for beyond the query.
  /// - Returns: A stream for one consumer; it ends when cancelled or when the client is shut down.
  public nonisolated func stream<Value>(
    _ query: Query<Value>,
    options: ObserverOptions? = nil
  ) -> AsyncStream<QueryResult<Value>> {
    subscribe(query, options: options).stream()
  }

  /// Observes a query by a cold sequence that stays on the caller's actor.
  ///
  /// - Parameters:
  ///   - query: What to observe.
  ///   - options: What each observer asks for beyond the query.
  /// - Returns: A sequence of which each iterator is a subscription of its own.
  @inlinable
  public nonisolated func results<Value>(
    of query: Query<Value>,
    options: ObserverOptions? = nil
  ) -> QueryResults<Value> {
    // Only asked, not unwrapped: that would copy all of them.
    options == nil ? QueryResults(query, client: self) : results(of: query, with: options)
  }

  /// Never inlined: the closure's copy of the options is not for those who have none.
  @inline(never)
  @usableFromInline
  nonisolated func results<Value>(
    of query: Query<Value>,
    with options: ObserverOptions?
  ) -> QueryResults<Value> {
    QueryResults(query, client: self) { self.subscribe(query, options: options) }
  }

  /// A handle on one observer, for those who change what they observe.
  ///
  /// - Parameters:
  ///   - query: What to observe.
  ///   - options: What this observer asks for beyond the query.
  /// - Returns: The handle, which observes from now on.
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

  nonisolated func subscribe<Value>(
    _ query: Query<Value>,
    options: ObserverOptions?
  ) -> Subscription {
    subscribe(EntryKey(query.key), query.plan, options: options)
  }

  nonisolated func subscribe(
    _ key: EntryKey,
    _ queryPlan: QueryPlan,
    options: ObserverOptions?
  ) -> Subscription {
    guard options != nil else { return subscribe(key, queryPlan) }
    let id = settling(key, queryPlan, options, isArrival: true) {
      state,
      index,
      plan,
      profile,
      seed,
      turn in
      state.arrive(index, at: key, plan, profile, seed, &turn)
    }
    return hold(id, key, queryPlan)
  }

  /// Observes as a query says, for those who know the type of its values.
  @usableFromInline
  nonisolated func subscribe(
    _ key: AnyQueryKey,
    _ type: any Any.Type,
    _ queryPlan: QueryPlan
  ) -> Subscription {
    subscribe(EntryKey(key, valueType: type), queryPlan)
  }

  nonisolated func subscribe(_ key: EntryKey, _ queryPlan: QueryPlan) -> Subscription {
    let id = settling(key, queryPlan, isArrival: true) { state, index, plan, profile, seed, turn in
      state.arrive(index, at: key, plan, profile, seed, &turn)
    }
    return hold(id, key, queryPlan)
  }

  private nonisolated func hold(
    _ id: ConsumerID,
    _ key: EntryKey,
    _ queryPlan: QueryPlan
  ) -> Subscription {
    let subscription = Subscription(client: self, id: id)
    if !queryPlan.triggers.isEmpty { subscription.pump(queryPlan.triggers, into: key) }
    return subscription
  }
}
