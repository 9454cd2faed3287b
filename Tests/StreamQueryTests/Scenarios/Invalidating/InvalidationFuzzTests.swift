import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Any order of whatever reads, changes and invalidates: what the server had at an invalidation, or
/// later, is what every read gets from then on that asks for fresh data, and older data is never
/// fresh (contract X21).
///
/// It knows nothing of the client but what the client shows. `STREAMQUERY_SEEDS=2000` tries
/// a million schedules.
struct InvalidationFuzzTests {
  private static let seeds = Seeds.few(500)

  /// One schedule.
  private final class Schedule<Value: Codable & Sendable>: Sendable {
    let simulation: Simulation
    let server: VersionedServer
    let client: QueryClient
    let network = ManualSignal(true)
    let read: VersionedQuery<Value>
    let query: Query<Value>
    /// Whether fetches are cancelled.
    let cancels: Bool
    /// How often they were: a caller whose fetch is cancelled gets what is there.
    let cancelCount = Dial(0)
    /// What the server had at the last invalidation that did not accept what was under way.
    let floor = Dial(0)
    let violations = Notes<String>()
    let readCount = Dial(0)
    /// What was exported, to be imported later.
    let archives = Notes<CacheArchive>()

    init(_ simulation: Simulation, _ server: VersionedServer, _ read: VersionedQuery<Value>) {
      (self.simulation, self.server, self.read) = (simulation, server, read)
      let network = network
      let isFull = server.random(3) == 0
      client = QueryClient(
        simulation: simulation,
        configuration: server.random(2) == 0 ? .server : QueryClient.Configuration()
      ) {
        $0.connectivity = Connectivity { network }
        if isFull { $0.maxConcurrentFetches = 1 }
      }
      var query = read.query.staleTime(.minutes(5)).gcTime(.hours(1))
        .retry(RetryPolicy.times(server.random(3)).backoff(.constant(.milliseconds(15))))
      if server.random(3) == 0 { query = query.refreshAhead(.fraction(0.000_2)) }
      switch server.random(3) {
      case 0: query = query.onAbandonment(.finish)
      case 1: query = query.onAbandonment(.linger(.milliseconds(50)))
      default: break
      }
      self.query = query
      cancels = server.random(3) == 0
    }

    // MARK: What is judged

    func look() {
      readCount.with { $0 += 1 }
      guard let data = client.data(for: query), read.oldest(data) < floor.value,
        !client.isStale(query)
      else { return }
      note("\(data) is fresh after \(floor.value)")
    }

    func note(_ text: String) { violations.add("\(text), at \(simulation.now)") }

    private func fetch(
      _ body: @escaping @Sendable (QueryClient, Query<Value>) async throws -> Value
    )
      -> Task<Void, Never>
    {
      simulation.task { [self] in
        let (floor, count) = (floor.value, cancelCount.value)
        guard let value = try? await body(client, query) else { return }
        readCount.with { $0 += 1 }
        // A page that replaces the refetch ends the wait for it.
        let isJudged = read.readsServer && read.addPart == nil && count == cancelCount.value
        if isJudged, read.oldest(value) < floor {
          note("\(value) was fetched after \(floor)")
        }
      }
    }

    // MARK: What happens

    private func invalidate(_ body: (QueryClient) -> Void) {
      let version = server.version
      body(client)
      // An entry that is not there is not marked, and whatever comes begins later.
      floor.value = version
      look()
    }

    private func invalidate() {
      let scopes: [RefetchScope] = [.never, .never, .active, .all, .inactive]
      let scope = scopes[server.random(scopes.count)]
      let supersedes = server.random(4) > 0
      let filter: QueryFilter = server.random(2) == 0 ? .query(query) : .all
      guard supersedes else {
        return client.markInvalidated(filter, refetch: scope, superseding: false)
      }
      invalidate { $0.markInvalidated(filter, refetch: scope) }
    }

    private func mutate() {
      let mutation = Mutation<Int, Int>("write") { [self] _, _ in
        try await simulation.clock.sleep(for: .milliseconds(server.random(30)))
        return server.change()
      }.onSuccess { [self] _, context in
        invalidate { $0.markInvalidated("n", refetch: .active) }
      }
      simulation.task { [client] in _ = try? await client.mutate(mutation, with: 0) }
    }

    func run() {
      var observers: [ResultRecording<QueryResult<Value>>] = []
      var callers: [Task<Void, Never>] = []
      for _ in 0..<(6 + server.random(14)) {
        switch server.random(22) {
        case 0, 1, 2: server.change()
        case 3, 4, 5: invalidate()
        case 6, 7: callers.append(fetch { try await $0.fetch($1) })
        case 8: callers.append(fetch { try await $0.fetch($1, throwOnError: true) })
        case 9: simulation.task { [client, query] in await client.prefetch(query) }
        case 10: simulation.task { [client, query] in _ = try? await client.ensure(query) }
        case 11: observers.append(simulation.record(client.stream(query)))
        case 12: if !observers.isEmpty { observers.removeLast().cancel() }
        case 13: if !callers.isEmpty { callers.removeLast().cancel() }
        case 14: simulation.task { [client, query] in await client.refetch(query) }
        case 15:
          server.forgetNear()
          client.setData(read.make(server.version), for: query)
        case 16: network.send(server.random(3) > 0)
        case 17: mutate()
        case 18: archives.add(client.export().archive)
        case 19:
          let archives = archives.all
          guard !archives.isEmpty else { break }
          client.import(archives[server.random(archives.count)], for: [.query(query)])
        case 20:
          if let addPart = read.addPart {
            simulation.task { [client] in try? await addPart(client) }
          }
        default:
          if cancels {
            cancelCount.with { $0 += 1 }
            client.cancel(query)
          }
          let other = Query<Int>("other", server.version) { [server] _ in try await server.read() }
          simulation.task { [client] in await client.prefetch(other) }
        }
        look()
        if server.random(3) > 0 { advance(server.random(60)) }
      }
      settle()
      for observer in observers { observer.cancel() }
      client.shutDown()
      simulation.settle()
    }

    private func advance(_ milliseconds: Int) {
      // Each answer is looked at as it lands.
      for _ in 0...(milliseconds / 10) {
        simulation.advance(by: .milliseconds(min(milliseconds, 10)))
        look()
      }
    }

    /// In the end nothing is under way, and a last caller gets what the server has.
    private func settle() {
      network.send(true)
      simulation.advance(by: .seconds(10))
      look()
      server.change()
      invalidate { $0.markInvalidated(.all) }
      for _ in 0..<20 where client.isStale(query) {
        callFresh()
      }
      guard let data = client.data(for: query), read.oldest(data) >= server.version else {
        return note("\(String(describing: client.data(for: query))) is the last value")
      }
    }

    private func callFresh() {
      _ = fetch { try await $0.fetch($1) }
      simulation.advance(by: .seconds(1))
    }
  }

  private static func check<Value: Codable & Sendable>(
    _ seed: UInt64,
    _ make: (VersionedServer) -> VersionedQuery<Value>
  ) -> Int {
    let simulation = Simulation(seed: seed)
    let server = VersionedServer(simulation)
    let schedule = Schedule(simulation, server, make(server))
    schedule.run()
    let violations = schedule.violations.all
    if !violations.isEmpty { Issue.record("\(Value.self), seed \(seed): \(violations)") }
    return schedule.readCount.value
  }

  private static func check(_ seed: UInt64) -> Int {
    switch seed % 8 {
    case 0, 1: check(seed) { $0.plain() }
    case 2: check(seed) { $0.sparing() }
    case 3: check(seed) { $0.near() }
    case 4: check(seed) { $0.pages(firstOnly: false) }
    case 5: check(seed) { $0.pages(firstOnly: true) }
    case 6: check(seed) { $0.parts(.reset) }
    default: seed % 16 < 8 ? check(seed) { $0.parts(.replace) } : check(seed) { $0.endless() }
    }
  }

  /// In parts, which run side by side.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func noInvalidationIsLost(part: UInt64) {
    var readCount = 0
    for seed in Self.seeds where seed % 20 == part { readCount += Self.check(seed) }
    #expect(readCount > Self.seeds.count / 20)
  }
}
