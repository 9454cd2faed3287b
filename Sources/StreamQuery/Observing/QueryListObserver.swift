import Synchronization

/// Observes a list of queries, of one value type or of several, and can replace the list.
///
/// ```swift
/// let observer = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// for await results in observer.stream {
///   show(results[.user(1)]?.data, results[.repos(1)]?.data)
/// }
/// observer.update([AnyQuery(.user(1)), AnyQuery(.repos(2))])
/// ```
///
/// A transaction that changes several of the results gives one element, and so does a new list. A slow
/// observer gets the newest results and may miss those in between. The handle and its streams are one
/// observer of each query of the list, until a stream is cancelled, or the handle and all streams are
/// released.
public final class QueryListObserver: Sendable {
  /// One observer of the list.
  private struct Member: Sendable {
    var key: EntryKey
    var triggerCount: Int
    var subscription: Subscription
  }

  private struct State {
    var members: [Member]
    /// The newest list that was requested and that no call has begun to apply.
    var wanted: [AnyQuery]?
    var isUpdating = false
  }

  let group: SubscriptionGroup
  private let state: Mutex<State>

  fileprivate init(_ client: QueryClient, _ queries: [AnyQuery]) {
    let members = queries.map { Self.makeMember($0, client) }
    state = Mutex(State(members: members))
    group = SubscriptionGroup(client, members.map(\.subscription), isDue: true)
  }

  /// The results as a stream for one observer; it ends when cancelled or when the client is shut
  /// down.
  public var stream: AsyncStream<QueryListResults> {
    AsyncStream(
      unfolding: { [group] in await group.nextInStream().map(QueryListResults.init) },
      onCancel: { [group] in group.cancel() }
    )
  }

  /// A stream of values that a closure makes from the results.
  ///
  /// ```swift
  /// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
  /// for await isReady in batch.combine({ $0.isSuccess }) { show(isReady) }
  /// ```
  ///
  /// - Parameter transform: Makes a value from the results; called once for each element.
  /// - Returns: A stream for one observer that omits a value which equals the one before.
  public func combine<Output: Equatable & Sendable>(
    _ transform: @escaping @Sendable (QueryListResults) -> Output
  ) -> AsyncStream<Output> {
    let last = LastSeen<Output>()
    return AsyncStream(
      unfolding: { [group] in
        while let members = await group.nextInStream() {
          let output = transform(QueryListResults(members: members))
          if last.changed(to: output) { return output }
        }
        return nil
      },
      onCancel: { [group] in group.cancel() }
    )
  }

  /// The current results; an empty list after the end of the observation.
  public var results: QueryListResults { QueryListResults(members: group.current()) }

  /// Replaces the list.
  ///
  /// A query whose key was in the old list keeps its observer, which is no new subscription and
  /// does not refetch by itself. The other observers of the old list end, and the other queries of
  /// the new list get new ones. Results follow the order of the new list.
  ///
  /// - Parameter queries: The new list; a key may appear more than once.
  /// - Complexity: O(*n*) in the lengths of both lists.
  public func update(_ queries: [AnyQuery]) {
    if group.isOver { return }
    // Replaced lists hold user code, so they are released outside the lock.
    let (mustWork, _) = state.withLock { state -> (Bool, [AnyQuery]?) in
      let dropped = state.wanted
      state.wanted = queries
      defer { state.isUpdating = true }
      return (!state.isUpdating, dropped)
    }
    guard mustWork else { return }
    // No lock is held here, because subscribing calls user code.
    while let (wanted, members) = nextWanted() { replace(members, by: wanted) }
  }

  /// Lets the fetches that are running now outlive the list by a duration; see `linger(_:)` of an
  /// observer.
  ///
  /// A query whose options or defaults set an abandonment policy keeps that policy. ``update(_:)`` undoes
  /// this call for the queries that are in the new list, too.
  ///
  /// - Parameter duration: How long; zero or less cancels the fetches at once.
  /// - Complexity: O(*n*) in the length of the list.
  @_spi(Adapters) public func linger(_ duration: Duration) {
    for member in state.withLock({ $0.members }) { member.subscription.linger(duration) }
  }

  /// Takes the newest list and the present members; `nil` if there is no new list or the observation has
  /// ended.
  private func nextWanted() -> ([AnyQuery], [Member])? {
    let isOver = group.isOver
    let (wanted, members) = state.withLock { state in
      let wanted = state.wanted.take()
      state.isUpdating = wanted != nil && !isOver
      return (wanted, state.members)
    }
    return isOver ? nil : wanted.map { ($0, members) }
  }

  private func replace(_ old: [Member], by queries: [AnyQuery]) {
    var left: [EntryKey: [Member]] = [:]
    // The order is reversed, because members are taken from the end: of members with equal keys,
    // the first is then taken first.
    for member in old.reversed() { left[member.key, default: []].append(member) }
    let members = queries.map { query in
      guard let kept = left[query.entryKey]?.popLast() else {
        return Self.makeMember(query, group.client)
      }
      return update(kept, query)
    }
    // The old state is returned, so that it is released outside the lock.
    _ = state.withLock { state in
      defer { state.members = members }
      return state.members
    }
    group.replace(by: members.map(\.subscription))
  }

  private func update(_ member: Member, _ query: AnyQuery) -> Member {
    group.client.update(member.subscription.id, query.entryKey, query.definition, query.options)
    var member = member
    if member.triggerCount != query.definition.triggers.count {
      member.triggerCount = query.definition.triggers.count
      member.subscription.forward(query.definition.triggers, into: query.entryKey)
    }
    return member
  }

  private static func makeMember(_ query: AnyQuery, _ client: QueryClient) -> Member {
    Member(
      key: query.entryKey,
      triggerCount: query.definition.triggers.count,
      subscription: client.subscribe(query.entryKey, query.definition, options: query.options)
    )
  }
}

nonisolated extension QueryClient {
  /// Observes a list of queries of any value types, through a handle that can replace the list.
  ///
  /// - Parameter queries: The queries to observe.
  /// - Returns: The handle, which observes from now on.
  public nonisolated func observer(all queries: [AnyQuery]) -> QueryListObserver {
    QueryListObserver(self, queries)
  }

  /// Returns the results that a new observer of a list would see first; starts no fetch, like `result(for:)`.
  ///
  /// - Parameter queries: The queries.
  /// - Returns: The results. Each is read separately, so a change may come in between.
  @_spi(Adapters)
  public nonisolated func result(for queries: [AnyQuery]) -> QueryListResults {
    QueryListResults(members: queries.map { look($0.entryKey, $0.definition, $0.options) })
  }

  /// Observes several queries of one value type as one stream, in the order of the list.
  ///
  /// A call that changes several keys shows as one change. A slow observer gets the newest results and may
  /// miss those in between. The first element has the state of all queries. Each query is observed and
  /// fetched independently, and one that fails is a failed result among the others.
  ///
  /// ```swift
  /// for await users in client.stream(all: ids.map { .user($0) }) {
  ///   show(users.compactMap(\.data))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - queries: The queries to observe; a key may appear more than once.
  ///   - options: Options of each observer, over those of its query.
  /// - Returns: A stream for one observer. For an empty list it emits one empty element and ends.
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

/// The results of a list of queries at one time, in the order of the list.
///
/// A result is looked up by its typed key. A key that is not in the list gives `nil`; a query that
/// failed gives a failed result.
///
/// ```swift
/// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// for await results in batch.stream {
///   if let user = results[.user(1)] { show(user.data, user.isError) }
/// }
/// ```
public struct QueryListResults: Sendable {
  let members: [(snapshot: EntrySnapshot, flags: QueryFlags)]

  /// The number of queries in the list.
  public var count: Int { members.count }

  /// The keys, in the order of the list.
  public var keys: [AnyQueryKey] { members.compactMap(\.snapshot.key?.key) }

  /// The result of a key; the first one if the list has the key twice.
  ///
  /// - Parameter key: The key.
  /// - Returns: The result; `nil` if the list has no such query.
  /// - Complexity: O(*n*) in the length of the list.
  public subscript<Value>(key: QueryKey<Value>) -> QueryResult<Value>? {
    let key = EntryKey(key)
    return members.first { $0.snapshot.key == key }.map(QueryResult.init)
  }

  /// The result of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The result; `nil` if the list has no query of that key.
  /// - Complexity: O(*n*) in the length of the list.
  public subscript<Value>(query: Query<Value>) -> QueryResult<Value>? { self[query.key] }

  /// The results of one value type, in the order of the list.
  ///
  /// - Parameter type: The value type.
  /// - Returns: The results of the queries of that type.
  public func results<Value: Sendable>(of type: Value.Type) -> [QueryResult<Value>] {
    members.filter { $0.snapshot.key?.valueTypeID == ObjectIdentifier(type) }.map(QueryResult.init)
  }

  /// Whether both have the same snapshots; a quick test that may return `false` for equal results.
  ///
  /// - Parameter other: Other results.
  /// - Returns: `true` only if nothing differs.
  /// - Complexity: O(*n*) in the length of the list.
  @_spi(Adapters) public func isSame(as other: Self) -> Bool {
    members.count == other.members.count
      && zip(members, other.members).allSatisfy {
        $0.flags == $1.flags && $0.snapshot.isSame(as: $1.snapshot, $0.flags)
      }
  }

  /// Whether any of the queries is pending: it has no data yet, and no final error.
  public var isPending: Bool { members.contains { $0.snapshot.status == .pending } }

  /// Whether any of the queries is fetching.
  public var isFetching: Bool { members.contains { $0.snapshot.fetchStatus == .fetching } }

  /// Whether all of the queries have data and no error.
  public var isSuccess: Bool { members.allSatisfy { $0.snapshot.status == .success } }

  /// The errors, in the order of the list.
  public var errors: [any Error] { members.compactMap { $0.snapshot.error?.error } }

  /// The results of all queries without their value types, in the order of the list.
  public var all: [AnyQueryResult] { members.map(AnyQueryResult.init) }

  /// The position of a key in the list; the first one if the list has the key twice.
  ///
  /// - Parameter key: The key.
  /// - Returns: The position; `nil` if the list has no such query.
  /// - Complexity: O(*n*) in the length of the list.
  public func position<Value>(of key: QueryKey<Value>) -> Int? {
    let key = EntryKey(key)
    return members.firstIndex { $0.snapshot.key == key }
  }
}
