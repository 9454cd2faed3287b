import StreamQueryTesting
import Testing

@testable import StreamQuery

/// What readers find without the cache's lock.
struct ReadShardsTests {
  let simulation = Simulation(seed: 15)
  let key = QueryKey<Int>("n")

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.readShards = 4
      configure(&$0)
    }
  }

  private func fetch<Value>(_ query: Query<Value>, _ client: QueryClient) -> Value? {
    simulation.run { try? await client.fetch(query) }
  }

  @Test("from its third use on, fresh data is found without the lock, and counts as a hit")
  func found() {
    let client = client()
    let answers = ScriptedFetch<Int>(.value(7))
    let query = Query(key: key, fetch: answers).staleTime(.seconds(10))
    for _ in 0..<4 { expectEqual(fetch(query, client), 7) }
    // A query that is made at the call has options of its own.
    expectEqual(fetch(Query(key: key, fetch: answers).staleTime(.seconds(10)), client), 7)
    expectEqual(client.data(for: key), 7)
    expectEqual(answers.callCount, 1)
    expectEqual(client.cache.shards?.hits, 3)
    expectEqual(client.lookups.hits, 4)
    expectEqual(client.lookups.misses, 1)
    client.shutDown()
  }

  @Test("each caller's own stale time decides")
  func staleTimes() {
    let client = client()
    let answers = ScriptedFetch<Int>(.value(1), .value(2), .value(3))
    let long = Query(key: key, fetch: answers).staleTime(.seconds(10))
    let short = Query(key: key, fetch: answers).staleTime(.seconds(1))
    for _ in 0..<3 { expectEqual(fetch(long, client), 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(fetch(long, client), 1)
    expectEqual(fetch(short, client), 2)
    simulation.advance(by: .seconds(10))
    expectEqual(fetch(long, client), 3)
    client.shutDown()
  }

  @Test("two keys with one hash are two entries, and one of them is found without the lock")
  func equalHashes() {
    let client = client()
    let keys = (1...2).map { QueryKey<Int>(KeySample.Colliding(id: $0)) }
    for (number, key) in keys.enumerated() { client.setData(number, for: key) }
    for _ in 0..<3 { expectEqual(keys.map { client.data(for: $0) }, [0, 1]) }
    expectEqual(keys.count { client.cache.shards?.replica(of: EntryKey($0)) != nil }, 1)
    client.setData(5, for: keys[0])
    client.setData(6, for: keys[1])
    for _ in 0..<3 { expectEqual(keys.map { client.data(for: $0) }, [5, 6]) }
    client.shutDown()
  }

  @Test("one key of two value types is two entries")
  func valueTypes() {
    let client = client()
    let text = QueryKey<String>("n")
    client.setData(1, for: key)
    client.setData("one", for: text)
    for _ in 0..<3 {
      expectEqual(client.data(for: key), 1)
      expectEqual(client.data(for: text), "one")
    }
    client.shutDown()
  }

  @Test("while somebody listens, each lookup is told, in order")
  func events() {
    let client = client()
    let query = Query(key: key) { 7 }.staleTime(.seconds(10))
    for _ in 0..<3 { expectEqual(fetch(query, client), 7) }
    let recording = simulation.record(client.events)
    for _ in 0..<2 { expectEqual(fetch(query, client), 7) }
    client.markInvalidated(.key(key), refetch: .never)
    expectEqual(fetch(query, client), 7)
    let lookups = recording.values.compactMap { event -> CacheLookup? in
      if case .lookup(let lookup) = event.kind { lookup } else { nil }
    }
    expectEqual(lookups, [.hit, .hit, .miss])
    recording.cancel()
    client.shutDown()
  }

  @Test("data that is about to be stale is refetched ahead of time")
  func refreshAhead() {
    let client = client()
    let answers = ScriptedFetch<Int>(.value(1), .value(2))
    let plain = Query(key: key, fetch: answers).staleTime(.seconds(10))
    let ahead = plain.refreshAhead(.fraction(0.5, jitter: 0))
    for _ in 0..<3 { expectEqual(fetch(ahead, client), 1) }
    // Before it is time, that takes no lock.
    expectEqual(client.cache.shards?.hits, 1)
    simulation.advance(by: .seconds(4))
    expectEqual(fetch(ahead, client), 1)
    expectEqual(client.cache.shards?.hits, 2)
    simulation.advance(by: .seconds(2))
    expectEqual(fetch(plain, client), 1)
    expectEqual(fetch(ahead, client), 1)
    simulation.settle()
    expectEqual(fetch(ahead, client), 2)
    expectEqual(answers.callCount, 2)
    let hits = client.cache.shards?.hits ?? 0
    for _ in 0..<5 { expectEqual(fetch(ahead, client), 2) }
    #expect(client.cache.shards?.hits ?? 0 >= hits + 3)
    client.shutDown()
  }

  @Test("a clock that runs back makes nothing fresh again")
  func clockRunsBack() {
    let offset = Dial(Duration.zero)
    let client = client { [simulation] in
      $0.clock = JumpingClock(base: simulation.clock, offset: offset)
    }
    let answers = ScriptedFetch<Int>(.value(1), .value(2))
    let query = Query(key: key, fetch: answers).staleTime(.seconds(10))
    for _ in 0..<3 { expectEqual(fetch(query, client), 1) }
    offset.value = .seconds(20)
    // A transaction of another key learns the time.
    client.setData(1, for: QueryKey<Int>("other"))
    offset.value = .zero
    expectEqual(fetch(query, client), 2)
    client.shutDown()
  }

  @Test(
    "the number of tables is a power of two, at least 1 and at most 256",
    arguments: [
      (Int.min, 1), (0, 1), (1, 1), (3, 4), (64, 64), (1_000, 256), (Int.max, 256),
    ]
  )
  func counts(asked: Int, made: Int) {
    expectEqual(ReadShards(count: asked).count, made)
  }

  @Test("what was replaced is released, although its uses were not counted yet")
  func released() {
    let client = client { $0.limit = CacheLimit(maxEntries: 10) }
    let key = QueryKey<Witness>("w")
    let ends = Notes<Int>()
    client.setData(Witness { ends.add(1) }, for: key)
    for _ in 0..<3 { _ = client.data(for: key) }
    client.setData(Witness { ends.add(2) }, for: key)
    expectEqual(ends.all, [1])
    for _ in 0..<3 { _ = client.data(for: key) }
    client.clear()
    expectEqual(ends.all, [1, 2])
    client.shutDown()
  }

  @Test(
    "values whose end reads the client are released outside of all locks",
    .timeLimit(.minutes(1))
  )
  func reentrant() {
    let client = client()
    let key = QueryKey<Witness>("w")
    let other = QueryKey<Int>("other")
    let seen = Notes<Int?>()
    client.setData(1, for: other)
    for _ in 0..<3 { _ = client.data(for: other) }
    let read: @Sendable () -> Void = { [weak client] in seen.add(client?.data(for: other)) }
    client.setData(Witness(onDeinit: read), for: key)
    for _ in 0..<3 { _ = client.data(for: key) }
    client.setData(Witness(onDeinit: read), for: key)
    for _ in 0..<3 { _ = client.data(for: key) }
    client.remove(key)
    client.setData(Witness(onDeinit: read), for: key)
    for _ in 0..<3 { _ = client.data(for: key) }
    client.clear()
    expectEqual(seen.all, [1, 1, nil])
    client.shutDown()
  }

  @Test("what is read without the lock stays while others pass through", arguments: [nil, 4, 256])
  func limit(shards: Int?) {
    let client = client {
      $0.limit = CacheLimit(maxEntries: 100)
      $0.readShards = shards
    }
    var lost = 0
    for round in 0..<Seeds.times(1_000, orElse: 300) {
      for number in 0..<80 {
        let own = QueryKey<Int>("own", number)
        guard client.data(for: own) == nil else { continue }
        if round > 0 { lost += 1 }
        client.setData(number, for: own)
      }
      let passing = QueryKey<Int>("passing", round)
      client.setData(round, for: passing)
      for _ in 0..<4 { _ = client.data(for: passing) }
    }
    #expect(lost <= 20)
    expectEqual(client.diagnostics().count, 100)
    client.shutDown()
  }

  @Test("an entry whose data changes again and again waits once to be counted")
  func changing() {
    let client = client { $0.limit = CacheLimit(maxEntries: 10) }
    for number in 0..<100 {
      client.setData(number, for: key)
      for _ in 0..<3 { expectEqual(client.data(for: key), number) }
    }
    expectEqual(client.cache.shards?.takeUsed().map { $0.takeCount() }, [200])
    client.shutDown()
  }

  @Test("the end of a client leaves nothing to find")
  func ended() {
    let client = client()
    let query = Query(key: key) { 7 }.staleTime(.seconds(10))
    for _ in 0..<3 { expectEqual(fetch(query, client), 7) }
    client.shutDown()
    expectNil(client.data(for: key))
    #expect(throws: QueryError.shutDown) { try simulation.run { try await client.fetch(query) } }
  }
}

/// Counts lookups by key and kind, whichever way they are told.
private final class LookupNotes: Sendable {
  private let counts = Dial<[String: Int]>([:])

  var receiver: EventReceiver {
    EventReceiver(
      hits: { [self] key, count in counts.value["hit \(key)", default: 0] += count },
      { [self] event in
        guard case .lookup(let lookup) = event.kind else { return }
        counts.value["\(lookup) \(event.key)", default: 0] += 1
      }
    )
  }

  var total: Int { counts.value.values.reduce(0, +) }
  var lines: [String] { counts.value.map { "\($0.value) \($0.key)" }.sorted() }
}

/// Two clients do the same, one of which lets readers pass the lock: nobody can tell which.
struct ReadShardsFuzzTests {
  private static let names = ["a", "b", "c"]

  /// What can happen to a key, and what readers see.
  private static func step(
    _ random: inout SmallRandom,
    _ simulation: Simulation,
    _ client: QueryClient,
    _ answers: Dial<Int>,
    jitter: Double
  ) -> String {
    let name = names[random.next(below: names.count)]
    let key = QueryKey<Int>(name)
    let staleTime = Duration.seconds([0, 2, 20][random.next(below: 3)])
    var query = Query(key: key) { () async throws -> Int in
      answers.value += 1
      let answer = answers.value
      if answer.isMultiple(of: 7) { throw Boom(answer) }
      return answer
    }
    if random.next(below: 3) > 0 { query = query.staleTime(staleTime) }
    if random.next(below: 2) == 0 { query = query.staleIfError(.seconds(5)) }
    if random.next(below: 4) == 0 { query = query.cachesFailures(.seconds(3)) }
    if random.next(below: 8) == 0 { query = query.enabled(when: { ($0 ?? 0) % 2 == 0 }) }
    if random.next(below: 3) == 0 { query = query.refreshAhead(.fraction(0.5, jitter: jitter)) }
    let asked = query
    let number = random.next(below: 22)
    switch number {
    case 0: client.setData(-answers.value, for: key)
    case 1: client.updateData(for: key) { $0 = $0.map { $0 * 10 } }
    case 2: client.updateData(matching: .all, of: Int.self) { _, value in value? += 100 }
    case 3: client.markInvalidated(.query(query))
    case 4: client.remove(key)
    case 5 where random.next(below: 4) == 0: client.clear()
    case 6: simulation.task { await client.reset(.query(asked)) }
    case 7: client.setDefaults(QueryOptions(staleTime: .after(staleTime)), for: AnyQueryKey(name))
    case 8:
      // No two end at one instant, where the order is that of the simulation.
      let duration = Duration.nanoseconds(1_000_000_000 + random.next(below: 1_000_000))
      let mutation = Mutation("m") { (input: Int, _: MutationContext) async throws -> Int in
        try await simulation.clock.sleep(for: duration)
        if input.isMultiple(of: 2) { throw Boom(input) }
        return input
      }
      .optimistic { input, changes in changes.update(key) { $0 = input } }
      let input = 1_000 + random.next(below: 10)
      simulation.task { _ = try? await client.mutate(mutation, with: input) }
    case 9: simulation.advance(by: .seconds(random.next(below: 4)))
    case 10: simulation.task { await client.refetch(.query(asked)) }
    case 11: simulation.task { _ = try? await client.ensure(asked, revalidating: true) }
    case 12: simulation.task { _ = try? await client.ensure(asked) }
    case 13: simulation.task { await client.prefetch(asked) }
    case 14...17:
      let outcome = simulation.run { () async -> String in
        do { return "\(try await client.fetch(asked))" } catch { return "\(error)" }
      }
      return "fetched \(name): \(outcome)"
    default: break
    }
    simulation.settle()
    let seen = names.map { client.data(for: QueryKey<Int>($0)).map(String.init) ?? "-" }
    return "after \(number) of \(name) saw \(seen) \(client.lookups) \(answers.value)"
  }

  private static func trace(
    _ seed: UInt64,
    shards: Int?,
    countsHits: Bool = false
  ) -> ([String], hits: Int) {
    let simulation = Simulation(seed: seed)
    let told = LookupNotes()
    let client = QueryClient(simulation: simulation) {
      $0.readShards = shards
      $0.defaults = QueryDefaults(gcTime: .seconds(30))
      if countsHits { $0.eventReceivers.append(told.receiver) }
    }
    var random = SmallRandom(seed: seed)
    let answers = Dial(0)
    // Telling of hits starts tasks, so that the simulation draws other numbers.
    let jitter = countsHits ? 0 : 0.4
    let trace = (0..<120).map { _ in step(&random, simulation, client, answers, jitter: jitter) }
    let hits = client.cache.shards?.hits ?? 0
    client.shutDown()
    if countsHits {
      let counts = client.lookups
      expectEqual(
        told.total,
        CacheLookup.allCases.map { counts[$0] }.reduce(0, +),
        "seed \(seed): \(told.lines)"
      )
    }
    simulation.advance(by: .seconds(60))
    return (trace + told.lines, hits)
  }

  @Test(arguments: Seeds.few(1))
  func receiversThatCountHitsAreToldTheSameWithoutTheLock(block: UInt64) {
    var hits = 0
    for seed in block * 20..<(block + 1) * 20 {
      let (expected, _) = Self.trace(seed, shards: nil, countsHits: true)
      let (seen, found) = Self.trace(seed, shards: 4, countsHits: true)
      expectEqual(seen, expected, "seed \(seed)")
      hits += found
    }
    #expect(hits > 20)
  }

  @Test(arguments: Seeds.few(1))
  func readersSeeTheSameWithoutTheLock(block: UInt64) {
    var hits = 0
    for seed in block * 20..<(block + 1) * 20 {
      let (expected, _) = Self.trace(seed, shards: nil)
      let (seen, found) = Self.trace(seed, shards: 4)
      expectEqual(seen, expected, "seed \(seed)")
      hits += found
    }
    // Otherwise this would compare a client with itself.
    #expect(hits > 20)
  }
}
