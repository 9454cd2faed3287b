internal import StreamQuery
internal import StreamQueryRedis
internal import StreamQueryShared

/// A machine of the measurement: a client with its part in the shared cache, and a store of its own.
struct LoadMachine: Sendable {
  /// The cached value: about a kilobyte.
  struct Value: Codable, Sendable {
    var text = String(repeating: "0123456789abcdef", count: 64)
  }

  let client: QueryClient
  private let store: RedisStore
  private let cache: SharedCache
  private let tally: LoadTally
  private let reading: Task<Void, Never>

  /// Starts a machine.
  ///
  /// - Parameters:
  ///   - endpoint: The server of the store.
  ///   - tally: Counts the answers of the machine's calls.
  ///   - lifetime: How long the store keeps the machine's entries.
  /// - Throws: No error: the client is new, and has no other cache.
  init(
    _ endpoint: RedisEndpoint,
    _ tally: LoadTally,
    lifetime: Duration = .seconds(86_400)
  ) throws {
    let client = QueryClient(configuration: .server)
    let store = RedisStore(endpoint, namespace: "load")
    var configuration = SharedCacheConfiguration(namespace: "load")
    configuration.lifetime = lifetime
    configuration.onEvent = { tally.happened($0) }
    let cache = try SharedCache(store, for: client, configuration)
    (self.client, self.store, self.cache, self.tally) = (client, store, cache, tally)
    // The task has no executor preference: it ends with the machine, and the measurement has the
    // default executor.
    reading = Task { await cache.run() }
  }

  /// A query that all machines share.
  ///
  /// - Parameters:
  ///   - name: The beginning of the query's key.
  ///   - number: The end of the query's key.
  ///   - time: How long upstream takes to answer.
  /// - Returns: The query.
  func query(_ name: String, _ number: String, upstream time: Duration = .zero) -> Query<Value> {
    Query(name, number) { [tally] in
      tally.askedUpstream()
      if time > .zero { try await Task.sleep(for: time) }
      return Value()
    }
    .staleTime(.seconds(3_600))
    .shared(through: cache)
  }

  /// Ends the machine.
  func end() async {
    reading.cancel()
    await reading.value
    client.shutDown()
    await store.close()
  }
}
