public import StreamQuery
internal import Synchronization

/// A client's part in a cache that many machines share.
///
/// Queries that are ``StreamQuery/Query/shared(through:tags:form:maxAge:)`` are fetched by one
/// machine for all. The cache also reads the store's log, and marks local data as invalidated that
/// another machine has changed.
///
/// ```swift
/// let client = QueryClient(configuration: .server)
/// let cache = SharedCache(store, for: client, SharedCacheConfiguration(namespace: "shop"))
/// async let reading: Void = cache.run()
/// let user = Query("user", id) { try await api.user(id) }
///   .staleTime(.minutes(1))
///   .shared(through: cache)
/// ```
///
/// | fault | what it promises |
/// |---|---|
/// | the machine that fetches dies | the others wait until its lease ends |
/// | the fetch fails | the others fail as well, with its text |
/// | it was invalidated meanwhile | the answer is not served as fresh: it is fetched again |
/// | the store is away | each machine fetches for itself, and trusts its data for a bounded time |
/// | messages of the log are lost | nothing that was shared is trusted any more |
/// | nobody calls ``run()`` | nothing stays fresh: each use asks the store |
///
/// The cache does not keep its client alive. Each client needs a cache of its own, and each tenant
/// a namespace of its own.
public final class SharedCache: Sendable {
  let store: any SharedStore
  let configuration: SharedCacheConfiguration
  let names: SharedNames
  let scheduling: Scheduling
  let clock: PeerClock
  weak let client: QueryClient?
  private let state: Mutex<SharedState>

  /// Creates the cache of a client.
  ///
  /// - Parameters:
  ///   - store: What the machines share.
  ///   - client: The client.
  ///   - configuration: How it shares.
  public init(
    _ store: any SharedStore,
    for client: QueryClient,
    _ configuration: SharedCacheConfiguration
  ) {
    self.store = store
    self.client = client
    let configuration = configuration.bounded
    self.configuration = configuration
    names = SharedNames(configuration.namespace)
    scheduling = client.scheduling
    clock = PeerClock(client.clock)
    let breaker = SharedBreaker(
      first: configuration.pauses.first,
      longest: configuration.pauses.longest,
      patience: configuration.timeout * 2
    )
    state = Mutex(SharedState(breaker: breaker))
  }

  /// Changes or reads the state; nothing of users runs, resumes or is released in it.
  func locked<Result: Sendable>(_ body: (inout SharedState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// A random number in 0..<1 from the client's generator.
  var chance: Double {
    guard let client else { return 0.5 }
    return Double(client.nextRandom() >> 11) * 0x1p-53
  }

  /// Tells what happened.
  func tell(_ event: @autoclosure () -> SharedCacheEvent) {
    configuration.onEvent?(event())
  }

  /// Carries out what the table decided.
  ///
  /// - Parameters:
  ///   - refetch: Which of the doubted entries are refetched at once.
  ///   - change: Changes the table.
  /// - Returns: How many entries are not trusted any more.
  @discardableResult
  func apply(
    refetch: RefetchScope = .active,
    _ change: (inout SharedTable) -> SharedTable.Effects
  ) -> Int {
    let (doubted, told) = locked { state in
      let effects = change(&state.table)
      let doubted = effects.doubted.compactMap { key, isInFlight in
        state.links[key].map { (key: key, link: $0, isInFlight: isInFlight) }
      }
      let told = effects.told.compactMap { id, news in
        state.waiting.removeValue(forKey: id).map { (id: id, race: $0, news: news) }
      }
      return (doubted, told)
    }
    // In an order that is the same in every process: a simulation repeats it.
    for each in told.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { each.race.give(each.news) }
    guard let client else { return doubted.count }
    for each in doubted.sorted(by: { $0.key < $1.key }) {
      each.link.doubt(client, isInFlight: each.isInFlight, refetch)
    }
    return doubted.count
  }
}
