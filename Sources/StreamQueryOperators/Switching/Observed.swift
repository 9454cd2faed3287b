public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Observes the newest query of this sequence, with one observer that moves from key to key.
  ///
  /// Use it for a query whose key or options change. Cached data of the new key is the next result. With an
  /// equal key, only the options of the observer change. It subscribes to the new key before it leaves the
  /// old one.
  ///
  /// ```swift
  /// searchText.map { Query.search($0) }
  ///   .observed(by: client)
  ///   .keepPreviousData()
  /// ```
  ///
  /// Use `switchToLatest` for streams of different types or with operators of their own: it makes a new
  /// observer for each element.
  ///
  /// - Finish: when the client is shut down, or if this sequence ends without a query. Otherwise
  ///   the observer stays at the last query when this sequence ends.
  /// - Failure: a failure of this sequence ends the observation and is thrown.
  /// - Cancellation: ends with `nil`; the observation ends.
  /// - Buffering: none. One task asks for queries without pause; another asks the observer for a
  ///   result while the consumer waits.
  ///
  /// - Parameters:
  ///   - client: The client that observes.
  ///   - options: Options of the observer, over those of each query.
  /// - Returns: Results of the newest query.
  public func observed<Value>(
    by client: QueryClient,
    options: ObserverOptions? = nil
  ) -> ErasedSequence<QueryResult<Value>, Failure>
  where Element == Query<Value> {
    let step = SteeringStep<Element, Value>(
      begin: { client.observer(of: $0, options: options) },
      steer: { $0.update(query: $1) }
    )
    return ResultSequence(self, step).followed()
  }
}

nonisolated extension QueryClient {
  /// Observes a query that a sequence of Bool turns on and off.
  ///
  /// Cached data shows at once, enabled or not. The query is off until the first element comes. Turning it on
  /// fetches if the data is stale or missing. Turning it off stops automatic fetches and keeps the data.
  ///
  /// ```swift
  /// for await result in client.results(of: .user(42), enabledBy: isSignedIn) {
  ///   show(result)
  /// }
  /// ```
  ///
  /// - Finish: when the client is shut down. After the end of the sequence the query stays on or
  ///   off.
  /// - Failure: a failure of the sequence ends the observation and is thrown.
  /// - Cancellation: ends with `nil`; the observation ends.
  /// - Buffering: none. One task asks for the sequence's elements without pause; another asks the
  ///   observer for a result while the consumer waits.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - isEnabled: Turns the query on and off.
  ///   - options: Options of the observer, over those of the query; their `enabled` is not used.
  /// - Returns: Results of the query. Each iterator is an observer of its own.
  public nonisolated func results<Value, Switch: AsyncSequence & Sendable>(
    of query: Query<Value>,
    enabledBy isEnabled: Switch,
    options: ObserverOptions = ObserverOptions()
  ) -> ErasedSequence<QueryResult<Value>, Switch.Failure>
  where Switch.Element == Bool {
    let with = { @Sendable (isEnabled: Bool) -> ObserverOptions in
      var options = options
      options.enabled = .fixed(isEnabled)
      return options
    }
    let step = SteeringStep<Bool, Value>(
      begin: { self.observer(of: query, options: with($0)) },
      steer: { $0.update(options: with($1)) }
    )
    return ResultSequence(isEnabled.prepend(false), step).followed()
  }
}

extension AsyncSequence where Self: Sendable {
  /// The results of the only observer that this sequence gives.
  ///
  /// They end with the client or the consumer. No further element can begin them again, so the
  /// whole sequence ends with them.
  fileprivate func followed<Value>() -> ErasedSequence<QueryResult<Value>, Failure>
  where Element == QueryResults<Value> {
    switching(
      to: { $0 },
      removingDuplicates: false,
      ending: .withTheInner,
      outerFailure: { $0 },
      innerFailure: OperatorDefinition<SwitchMachine, QueryResult<Value>, Failure>.impossible
    )
  }
}
