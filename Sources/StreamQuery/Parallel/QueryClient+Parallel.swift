extension QueryClient {
  /// What a new observer of a list would see first, as `result(for:)`.
  ///
  /// - Parameter queries: The queries.
  /// - Returns: Their first results, each of the time when it was looked at.
  public nonisolated func results(for queries: [AnyQuery]) -> QueryListResults {
    QueryListResults(members: queries.map { look($0.entryKey, $0.definition, $0.options) })
  }

  /// Observes several queries of one value type as one stream, in the order of the list.
  ///
  /// There is one element for each transaction that changed any of them: a call that changes
  /// several keys shows as one change. The first element has the state of all queries. Each query
  /// is observed and fetched independently, and one that fails is a failed result among the others.
  ///
  /// ```swift
  /// for await users in client.stream(all: ids.map { .user($0) }) {
  ///   show(users.compactMap(\.data))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - queries: The queries to observe; a key may appear more than once.
  ///   - options: Options of each observer, in addition to those of its query.
  /// - Returns: A stream for one observer. Without any query it emits one empty element and ends.
  public nonisolated func stream<Value>(
    all queries: [Query<Value>],
    options: ObserverOptions? = nil
  ) -> AsyncStream<[QueryResult<Value>]> {
    guard !queries.isEmpty else {
      return AsyncStream { continuation in
        continuation.yield([])
        continuation.finish()
      }
    }
    let group = SubscriptionGroup(self, queries.map { subscribe($0, options: options) })
    return AsyncStream(
      unfolding: { await group.nextInStream()?.map(QueryResult.init) },
      onCancel: { group.cancel() }
    )
  }
}
