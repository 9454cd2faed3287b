import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Keys that somebody makes up to do harm: bounded in room and time, and the others keep what they
/// have.
struct HostileKeyTests: LimitedSuite {
  let simulation = Simulation(seed: 15)

  // MARK: Many keys

  /// How many of the requests of ordinary users are hits, who ask for a few hundred keys, while
  /// somebody makes up keys.
  ///
  /// - Parameters:
  ///   - client: The cache.
  ///   - flood: How many keys are made up for each ordinary request.
  ///   - repeats: How often each of them is asked for.
  ///   - requests: How many ordinary requests there are, of which the first ones do not count.
  /// - Returns: The share of hits.
  private func hitRatio(
    _ client: QueryClient,
    flood: Int,
    repeats: Int = 1,
    requests: Int = Seeds.times(20_000, orElse: 8_000)
  ) -> Double {
    var random = SmallRandom(seed: 7)
    var (hits, made) = (0, 1_000_000)
    let first = Seeds.times(2_000, orElse: requests * 2 / 5)
    for request in 0..<requests {
      let own = key(min(random.next(below: 300), random.next(below: 300)))
      if client.data(for: own) == nil {
        client.setData(1, for: own)
      } else if request >= first {
        hits += 1
      }
      for _ in 0..<flood {
        made += 1
        client.setData(1, for: key(made))
        for _ in 1..<repeats { _ = client.data(for: key(made)) }
      }
    }
    return Double(hits) / Double(requests - first)
  }

  @Test func aHundredThousandKeysTakeNoRoomFromThoseInUse() {
    let calm = client(CacheLimit(maxEntries: 1_000))
    #expect(hitRatio(calm, flood: 0, requests: 5_000) > 0.995)
    let flooded = client(CacheLimit(maxEntries: 1_000))
    #expect(hitRatio(flooded, flood: 5) > 0.97)
    expectEqual(flooded.diagnostics().count, 1_000)
    let costly = client(CacheLimit(maxCost: 10_000) { _ in 10 })
    #expect(hitRatio(costly, flood: 5, requests: 5_000) > 0.9)
    #expect(costly.diagnostics().count <= 1_000)
    // Whoever asks more often for what he makes up than all others together for what they need is
    // like many users: what they need leaves earlier.
    let outnumbered = client(CacheLimit(maxEntries: 1_000))
    #expect(hitRatio(outnumbered, flood: 5, repeats: 3, requests: 5_000) > 0.6)
    expectEqual(outnumbered.diagnostics().count, 1_000)
    for client in [calm, flooded, costly, outnumbered] { client.shutDown() }
  }

  @Test func aFloodOfFetchesLeavesNoMoreThanTheLimit() {
    let client = QueryClient(simulation: simulation, configuration: .server) {
      $0.limit?.maxEntries = 100
    }
    let own = Query(key: key(1)) { 1 }.staleTime(.infinite)
    for number in 2..<2_000 {
      simulation.run { await client.prefetch(own) }
      simulation.run { await client.prefetch(Query(key: key(number)) { number }) }
    }
    expectEqual(client.lookups.hits, 1_997)
    expectEqual(client.diagnostics().count, 100)
  }

  // MARK: Large keys

  @Test func largeKeysAreAnsweredAndNotKept() throws {
    let client = QueryClient(simulation: simulation, configuration: .server)
    let most = try #require(QueryClient.Configuration.server.limit?.maxKeySize)
    let text = String(repeating: "x", count: most)
    for number in 0..<100 {
      let query = Query("long", "\(number)" + text) { number }.staleTime(.infinite)
      try expectEqual(simulation.run { try await client.fetch(query) }, number)
      client.setData(1, for: QueryKey<Int>("list", Array(repeating: number, count: most)))
    }
    let short = Query("short", String(text.dropLast(100))) { 1 }
    try expectEqual(simulation.run { try await client.fetch(short) }, 1)
    expectEqual(client.diagnostics().map(\.key), [short.key.erased])
  }

  @Test func callersOfALargeKeyShareAFetchAndItsObserversKeepIt() {
    let client = client(CacheLimit(maxKeySize: 10))
    let fetch = ScriptedFetch<Int>(.value(7, after: .seconds(1)))
    let query = Query("a long one", fetch: fetch)
    let callers = (0..<3).map { _ in simulation.task { try await client.fetch(query) } }
    simulation.advance(by: .milliseconds(500))
    expectEqual(client.diagnostics().count, 1)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 1)
    expectEqual(recording.values.last?.data, 7)
    recording.cancel()
    simulation.settle()
    expectEmpty(client.diagnostics())
    withExtendedLifetime(callers) {}
  }

  @Test func aKeyOfAnyDepthIsAnsweredAndNotKept() {
    let client = QueryClient(simulation: simulation, configuration: .server)
    let found = onSmallStack {
      var part = KeyPart.null
      for _ in 0..<100_000 { part = .list(of: [part]) }
      let key = QueryKey<Int>(erased: AnyQueryKey(parts: [part]))
      client.setData(1, for: key)
      return client.data(for: key) != nil
    }
    expectEqual(found, false)
  }

  @Test func theSizeOfAKeyIsThatOfItsTextsAndParts() {
    let sizes: [(KeyStorage, Int)] = [
      (AnyQueryKey("12345", 7).storage, 37), (AnyQueryKey([1, 2, 3]).storage, 64),
      (AnyQueryKey("é").storage, 18), (.empty, 0),
      (AnyQueryKey(fields: ["ab": "cd", "e": 1]).storage, 53),
      (AnyQueryKey(KeySample.Colliding(id: 1)).storage, 16),
    ]
    for (key, size) in sizes {
      expect(!key.isLarger(than: size) && (size == 0 || key.isLarger(than: size - 1)))
    }
  }

  // MARK: Equal hashes

  @Test(arguments: [false, true])
  func aLookAmongKeysOfOneHashHasABoundedNumberOfComparisons(isPrefix: Bool) {
    let client = QueryClient(simulation: simulation) {
      $0.limit = CacheLimit(maxEntries: 1_000)
      $0.onMisuse = { _ in }
    }
    let comparisons = Notes<Int>()
    func key(_ id: Int) -> QueryKey<Int> {
      let part = CollisionTests.Counted(id: id, comparisons: comparisons)
      return isPrefix ? QueryKey(part, 1) : QueryKey(part)
    }
    var worst = 0
    for id in 0..<1_500 {
      let before = comparisons.count
      client.setData(id, for: key(id))
      _ = client.data(for: key(id))
      worst = max(worst, comparisons.count - before)
    }
    // Three looks at a key, and two at a prefix.
    let most = HashTable.slotsPerHash + CollisionBucket.most + 16
    #expect(worst <= (isPrefix ? 5 : 4) * most)
    #expect(client.diagnostics().count <= HashTable.slotsPerHash + CollisionBucket.most)
    // Other keys are kept as ever.
    for id in 0..<2_000 { client.setData(id, for: QueryKey<Int>("n", id)) }
    expectEqual(client.diagnostics().count, 1_000)
    client.shutDown()
  }

  // MARK: Fetches that never end

  @Test func fetchesThatNeverEndAreBoundedAndOthersAreAnswered() {
    let running = Notes<Int>()
    let client = QueryClient(simulation: simulation, configuration: .server) {
      $0.maxConcurrentFetches = 4
      $0.limit?.maxEntries = 100
    }
    let own = Query("rates", fetch: ScriptedFetch<Int>(.value(7)))
      .staleTime(.seconds(10)).staleIfError(.minutes(5)).softTimeout(.milliseconds(100))
    simulation.run { await client.prefetch(own) }
    simulation.advance(by: .seconds(20))
    for number in 0..<1_000 {
      let query = Query("made up", number) { () async throws -> Int in
        running.add(1)
        defer { running.add(-1) }
        try await Scheduling.current.clock.sleep(for: .seconds(1_000_000))
        return 1
      }.timeout(.seconds(2))
      simulation.task { _ = try? await client.fetch(query, timeout: .seconds(5)) }
    }
    simulation.settle()
    expectEqual(running.all, [1, 1, 1, 1])
    let answer = simulation.task { try await client.fetch(own) }
    simulation.advance(by: .milliseconds(100))
    expectEqual(try? simulation.run { try await answer.value }, 7)
    simulation.advance(by: .seconds(5))
    var (now, most) = (0, 0)
    for change in running.all {
      now += change
      most = max(most, now)
    }
    // One that was cancelled may take a moment to stop, and does not count.
    #expect(now == 0 && most <= 8)
    expectEqual(client.fetchingCount(), 0)
    #expect(client.diagnostics().count <= 100)
  }
}
