import Testing

@testable import StreamQuery

/// What `fetch` does with what it finds, in the cache's own terms.
@Suite("Fetching from a cache: Q03 to Q05, T41") struct CacheFetchingTests {
  private let cache = CacheDriver(id: UInt64.max - 40)
  private let query = Query<Int>.n().staleTime(.seconds(5))

  /// The value of the query was fetched at the present time.
  private func load(_ value: Int) {
    cache.fetch(query)
    cache.answer(query, .value(TypedBox(value)))
  }

  /// What was found so far, by kind.
  private func lookups() -> [CacheLookup] {
    CacheLookup.allCases.flatMap { Array(repeating: $0, count: cache.state.reports.lookups[$0]) }
  }

  @Test func aMissingValueStartsAFetchThatTheCallerWaitsFor() {
    expectEqual(cache.fetch(query).summary, "waiting")
    expectEqual(cache.fetching(query), .manual)
    expectEqual(cache.machine(of: query)?.waiterCount, 1)
    expectEqual(cache.job(of: query)?.isImperative, true)
    expectEqual(lookups(), [.miss])
  }

  @Test func aSecondCallerJoinsTheFetch() {
    cache.fetch(query)
    let id = cache.machine(of: query)?.fetch?.id
    expectEqual(cache.fetch(query).summary, "waiting")
    expectEqual(cache.machine(of: query)?.fetch?.id, id)
    expectEqual(cache.machine(of: query)?.waiterCount, 2)
    expectEqual(lookups(), [.joined, .miss])
  }

  @Test func aFreshValueIsReturnedAndFetchesNothing() {
    load(1)
    cache.pass(to: 4)
    expectEqual(cache.fetch(query).summary, "cached 1")
    expectEqual(cache.fetch(query, .ifMissing).summary, "cached 1")
    expectEqual(cache.fetch(query, .ifMissingElseRevalidate).summary, "cached 1")
    expectNil(cache.fetching(query))
    expectEqual(lookups(), [.hit, .hit, .hit, .miss])
  }

  @Test func aStaleValueIsFetchedAgain() {
    load(1)
    cache.pass(to: 5)
    expectEqual(cache.fetch(query).summary, "waiting")
    expectEqual(cache.fetching(query), .manual)
  }

  @Test func aStaleValueIsEnoughForWhoOnlyWantsSome() {
    load(1)
    cache.pass(to: 5)
    expectEqual(cache.fetch(query, .ifMissing).summary, "cached 1")
    expectNil(cache.fetching(query))
    expectEqual(lookups(), [.staleHit, .miss])
  }

  @Test func aStaleValueIsReturnedAndRefetchedForTheClient() {
    load(1)
    cache.pass(to: 5)
    expectEqual(cache.fetch(query, .ifMissingElseRevalidate).summary, "cached 1")
    expectEqual(cache.fetching(query), .manual)
    expectEqual(cache.machine(of: query)?.waiterCount, 0)
    expectEqual(cache.machine(of: query)?.fetch?.hasClientLease, true)
  }

  @Test func whoWantsANewAnswerJoinsTheFetchInFlightOrStartsOne() {
    load(1)
    expectEqual(cache.fetch(query, .always).summary, "waiting")
    expectEqual(cache.fetching(query), .manual)
    expectEqual(cache.machine(of: query)?.waiterCount, 0, "a watcher has no lease")
  }

  @Test func aKeyWithoutAFetchIsRefusedAndItsEntryMayGo() {
    let bare = Query(key: QueryKey<Int>("bare"))
    for need in [CachePolicy.ifStale, .ifMissing, .ifMissingElseRevalidate, .always] {
      expectEqual(cache.fetch(bare, need).summary, "missing fetch")
    }
    expectEqual(cache.machine(of: bare)?.isIdle, true)
    expect(cache.nextDeadline != nil, "its retention has begun")
  }

  @Test func aFetchThatAsksForItselfIsRefused() throws {
    cache.fetch(query)
    let own = try #require(cache.job(of: query))
    expectEqual(cache.fetch(query, from: own.tasks).summary, "recursive")
    expectEqual(cache.machine(of: query)?.waiterCount, 1)
  }

  @Test func aFetchThatAsksForOneThatWaitsForItIsRefused() throws {
    let other = Query<Int>.n("other")
    cache.fetch(query)
    cache.fetch(other)
    let (first, second) = (
      try #require(cache.job(of: query)), try #require(cache.job(of: other))
    )
    let start = cache.fetch(other, from: first.tasks)
    expectEqual(start.summary, "waiting")
    expectEqual(cache.fetch(query, from: second.tasks).summary, "recursive")
    withExtendedLifetime(start) {}
  }

  @Test func aFetchMayAskForItsOwnCachedValue() throws {
    load(1)
    cache.fetch(query, .always)
    let own = try #require(cache.job(of: query))
    expectEqual(cache.fetch(query, from: own.tasks).summary, "cached 1")
  }

  @Test func afterAShutdownNothingIsFetchedOrMade() {
    cache.state.isShutDown = true
    expectEqual(cache.fetch(query).summary, "shut down")
    expectNil(cache.machine(of: query))
  }
}
