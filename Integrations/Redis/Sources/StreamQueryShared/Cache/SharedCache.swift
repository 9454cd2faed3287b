@_spi(Adapters) @_spi(SharedCache) public import StreamQuery
internal import Synchronization

/// A client's part in a cache that many machines share.
///
/// One machine fetches a query with ``StreamQuery/Query/shared(through:tags:form:maxAge:)`` for
/// all. The cache also reads the store's log, and marks local data as invalidated if another
/// machine has changed it.
///
/// ```swift
/// let client = QueryClient(configuration: .server)
/// let cache = try SharedCache(store, for: client, SharedCacheConfiguration(namespace: "shop"))
/// async let reading: Void = cache.run()
/// let user = Query("users", id) { try await api.user(id) }
///   .staleTime(.minutes(1))
///   .shared(through: cache)
/// ```
///
/// | fault | what the cache promises |
/// |---|---|
/// | the machine that fetches dies | the others wait until its lease ends |
/// | the fetch fails | the others fail as well, with the text of its error |
/// | the data was invalidated during the fetch | the answer is not served as fresh: it is fetched again |
/// | the store does not answer | each machine fetches for itself, and trusts its data for a bounded time |
/// | messages of the log are lost | nothing that was shared is trusted any more |
/// | nobody calls ``run()`` | nothing stays fresh: each use asks the store |
///
/// Changes by other machines do not reach data that only the client has: data from the client's own
/// `setData`, from an import, or restored from a store of the client. After a fetch or ``write(_:for:)`` of
/// the query, they do.
///
/// The cache does not retain its client. Retain the cache for as long as the client shares: only the task
/// that calls ``run()`` retains it, and each query that names it in `shared(through:tags:form:maxAge:)`, for
/// as long as somebody has the query, such as the client for its entry. Each client needs a cache of its own,
/// and each tenant a namespace of its own.
public final class SharedCache: Sendable {
  let store: any SharedStore
  let configuration: SharedCacheConfiguration
  let names: SharedNames
  let scheduling: Scheduling
  let clock: PeerClock
  let deadlines: Deadlines
  weak let client: QueryClient?
  private let state: Mutex<SharedState>
  private static let namespaces = Mutex(ClientNamespaces())

  /// Creates the cache of a client.
  ///
  /// - Parameters:
  ///   - store: The store that the machines share.
  ///   - client: The client.
  ///   - configuration: The configuration.
  /// - Throws: ``SharedCacheError/otherNamespace(_:client:)`` if the client has or had a cache of
  ///   another namespace, because one tenant would see another's data.
  public convenience init(
    _ store: any SharedStore,
    for client: QueryClient,
    _ configuration: SharedCacheConfiguration
  ) throws(SharedCacheError) {
    let claim = Self.namespaces.withLock { $0.claim(configuration.namespace, for: client) }
    guard claim.namespace == configuration.namespace else {
      throw .otherNamespace(configuration.namespace, client: claim.namespace)
    }
    self.init(store, forNew: client, configuration)
    _ = Self.namespaces.withLock { $0.made(self, for: client) }
  }

  /// The cache of a client, the first one if there are several; `nil` if the client never had a
  /// cache.
  ///
  /// - Throws: ``SharedCacheError/cacheGone(key:)`` if the client's cache was released: a fetch for
  ///   this machine alone would hide that mistake.
  static func cache(
    of client: QueryClient,
    for key: AnyQueryKey
  ) throws(SharedCacheError) -> SharedCache? {
    let (cache, hadOne) = namespaces.withLock { $0.cache(of: client) }
    guard cache != nil || !hadOne else { throw .cacheGone(key: key.description) }
    return cache
  }

  /// Creates the cache of a client that has no other one.
  package init(
    _ store: any SharedStore,
    forNew client: QueryClient,
    _ configuration: SharedCacheConfiguration
  ) {
    self.store = store
    self.client = client
    let configuration = configuration.bounded
    self.configuration = configuration
    names = SharedNames(configuration.namespace)
    scheduling = client.scheduling
    clock = PeerClock(client.clock)
    deadlines = client.deadlines
    let breaker = SharedBreaker(
      first: configuration.pauses.first,
      longest: configuration.pauses.longest,
      probeTimeout: configuration.timeout * 2
    )
    state = Mutex(SharedState(breaker: breaker))
    // The client notes invalidations of entries that it does not have, because the store may have
    // them.
    client.noteInvalidations()
  }

  deinit {
    // A receiver of events may count the caches whose store is away, and must not count this one any more.
    if locked({ $0.breaker.isOpen }) { tell(.releasedWhileAway) }
  }

  /// Changes or reads the state; the closure must neither run user code nor resume a task.
  func locked<Result: Sendable>(_ body: (inout SharedState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// A random number in 0..<1 from the client's generator.
  var chance: Double {
    guard let client else { return 0.5 }
    return Double(client.nextRandom() >> 11) * 0x1p-53
  }

  /// Reports an event.
  func tell(_ event: @autoclosure () -> SharedCacheEvent) {
    guard configuration.onEvent != nil || !configuration.eventReceivers.isEmpty else { return }
    let event = event()
    configuration.onEvent?(event)
    for receive in configuration.eventReceivers { receive(event) }
  }

  /// Changes the table, and carries out the effects.
  ///
  /// - Parameters:
  ///   - refetch: Which of the entries whose data became suspect are refetched at once.
  ///   - change: Changes the table.
  /// - Returns: The number of entries that are not trusted any more.
  @discardableResult
  func apply(
    refetch: RefetchScope = .active,
    _ change: (inout SharedTable) -> SharedTable.Effects
  ) -> Int {
    let (suspected, links, notified) = locked { state in
      let effects = change(&state.table)
      state.table.marking(effects.suspected)
      // An answer that was compared before this change, and becomes the data after it, is outdated.
      for key in effects.suspected { state.answers[key]?.markOutdated() }
      let links = effects.suspected.sorted().compactMap { state.links[$0] }
      let notified = effects.notified.compactMap { id, news in
        state.waiting.removeValue(forKey: id).map { (id: id, firstResult: $0, news: news) }
      }
      return (effects.suspected, links, notified)
    }
    // The order is the same in every process, so that a simulation can repeat it.
    for each in notified.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      each.firstResult.give(each.news)
    }
    guard !suspected.isEmpty else { return 0 }
    // All entries are marked in one transaction. A fetch under way is joined and not replaced, so that none
    // of its callers is cancelled. The answer of this fetch will be compared with the change, or has just
    // been marked as outdated.
    let filter = QueryFilter.any(of: links.map(\.filter))
    client?.markInvalidated(filter, refetch: refetch, superseding: false)
    let parked = locked { state in
      state.table.marked(suspected).sorted().flatMap { state.parked.removeValue(forKey: $0) ?? [] }
    }
    for firstResult in parked { firstResult.give(()) }
    return suspected.count
  }
}
