public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Observes the newest query of this sequence, with one observer that moves from key to key.
  ///
  /// Use this for a query that changes its key or its options. Cached data of a new key is the next result.
  /// For an equal key, only the options of the observer change. The observer subscribes to a new key before
  /// it leaves the old one.
  ///
  /// ```swift
  /// searchText.map { Query.search($0) }
  ///   .observed(by: client)
  ///   .keepPreviousData()
  /// ```
  ///
  /// For streams of different types, or with operators of their own, use `switchToLatest`, which makes a new
  /// observer for each element.
  ///
  /// - Finish: when the client is shut down, or if this sequence ends without a query. If this sequence ends
  ///   after a query, the last query is observed on.
  /// - Failure: a failure of this sequence ends the observation and is thrown.
  /// - Cancellation: ends with `nil`; the observation ends.
  /// - Buffering: none. One task asks for queries without pause; another task asks the observer for a result
  ///   while the consumer waits.
  ///
  /// - Parameters:
  ///   - client: The client that observes.
  ///   - options: Options of the observer, which take precedence over those of each query.
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
  /// Observes a query, and enables or disables it by the elements of a Bool sequence.
  ///
  /// Cached data shows at once, enabled or not. The query is disabled until the first element comes. Enabling
  /// fetches if the data is stale or missing. Disabling stops automatic fetches and keeps the data.
  ///
  /// ```swift
  /// for await result in client.results(of: .user(42), enabledBy: isSignedIn) {
  ///   show(result)
  /// }
  /// ```
  ///
  /// - Finish: when the client is shut down. After the end of the sequence, the query stays enabled or
  ///   disabled.
  /// - Failure: a failure of the sequence ends the observation and is thrown.
  /// - Cancellation: ends with `nil`; the observation ends.
  /// - Buffering: none. One task asks for the sequence's elements without pause; another task asks the
  ///   observer for a result while the consumer waits.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - isEnabled: The sequence that enables and disables the query.
  ///   - options: Options of the observer, which take precedence over those of the query; their `enabled` is
  ///     ignored.
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
  /// Returns the results of the only observer that this sequence delivers.
  ///
  /// The results end when the client is shut down or the consumer stops. The whole sequence then ends,
  /// because a further element only moves the observer, and brings no new results.
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
