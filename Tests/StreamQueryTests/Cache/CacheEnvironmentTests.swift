import Testing

@testable import StreamQuery

/// What a report about the network or the app refetches.
@Suite("Transitions: O06, T10, T11, T70") struct CacheEnvironmentTests {
  private let cache = CacheDriver()

  /// An observed query with data of the present time.
  private func watched(
    _ name: String,
    _ change: (Query<Int>) -> Query<Int> = { $0 }
  ) -> Query<Int> {
    let query = change(.n(name))
    cache.observe(query)
    cache.answer(query, .value(TypedBox(1)))
    return query
  }

  private func leaveAndReturn() -> [RefetchCondition.Question] {
    _ = cache.online(false)
    return cache.online(true)
  }

  @Test func aReportOfWhatIsKnownRefetchesNothing() {
    let query = watched("n")
    expectEmpty(cache.online(true))
    expectEmpty(cache.active(true))
    expectNil(cache.fetching(query))
  }

  @Test func whatGoesAwayRefetchesNothing() {
    let query = watched("n")
    expectEmpty(cache.online(false))
    expectEmpty(cache.active(false))
    expectNil(cache.fetching(query))
    expect(!cache.isOnline)
    expect(!cache.isActive)
  }

  @Test func aReconnectRefetchesTheWilling() {
    let stale = watched("stale")
    let fresh = watched("fresh") { $0.staleTime(.seconds(60)) }
    let never = watched("never") { $0.refetchOnReconnect(.never) }
    let always = watched("always") { $0.staleTime(.seconds(60)).refetchOnReconnect(.always) }
    let unobserved = Query<Int>.n("unobserved")
    cache.fetch(unobserved)
    cache.answer(unobserved, .value(TypedBox(1)))
    expectEmpty(leaveAndReturn())
    expectEqual(
      [stale, fresh, never, always, unobserved].map(cache.fetching),
      [.reconnect, nil, nil, .reconnect, nil]
    )
  }

  @Test func anActivationRefetchesTheWilling() {
    let stale = watched("stale")
    let never = watched("never") { $0.refetchOnActive(.never) }
    _ = cache.active(false)
    expectEmpty(cache.active(true))
    expectEqual([stale, never].map(cache.fetching), [.active, nil])
  }

  @Test func anActivationWhileOfflineStartsFetchesThatRest() {
    let query = watched("n")
    _ = cache.online(false)
    _ = cache.active(false)
    _ = cache.active(true)
    expectEqual(cache.machine(of: query)?.stage, .paused(before: .firstAttempt))
    expectEqual(cache.machine(of: query)?.cause, .active)
  }

  @Test func aReturnResumesWhatRested() {
    _ = cache.online(false)
    let query = Query<Int>.n()
    cache.fetch(query)
    expectEqual(cache.machine(of: query)?.isPaused, true)
    _ = cache.online(true)
    expectEqual(cache.machine(of: query)?.stage, .running)
    expectEqual(cache.machine(of: query)?.cause, .manual)
  }

  // MARK: Conditions

  @Test func aConditionIsAskedInsteadOfRefetching() throws {
    let query = watched("n") { $0.refetchOnReconnect(.when { true }) }
    let asking = try #require(leaveAndReturn().first)
    expectNil(cache.fetching(query))
    expectNil(cache.answer(asking, .always))
    expectEqual(cache.fetching(query), .reconnect)
  }

  @Test func aConditionThatIsBeingAskedIsNotAskedTwice() throws {
    let query = watched("n") { $0.refetchOnReconnect(.when { true }) }
    let first = try #require(leaveAndReturn().first)
    expectEmpty(leaveAndReturn())
    // It may have been refused for a return that is over.
    let again = try #require(cache.answer(first, .never))
    expectNil(cache.answer(again, .never))
    expectNil(cache.fetching(query))
    expectEqual(cache.conditionCount, 0)
  }

  @Test func aConditionOfAnObserverThatLeftAnswersNothing() throws {
    let query = Query<Int>.n().refetchOnReconnect(.when { true })
    let observer = cache.observe(query)
    cache.answer(query, .value(TypedBox(1)))
    let asking = try #require(leaveAndReturn().first)
    cache.state.unsubscribe(observer, &cache.transaction)
    expectNil(cache.answer(asking, .always))
    expectNil(cache.fetching(query))
  }

  // MARK: Mutations first

  @Test func refetchesWaitForTheRunsThatRested() {
    let query = watched("n")
    _ = cache.online(false)
    let run = cache.run(Mutation("m") { $0 })
    expectEmpty(cache.online(true))
    expectEqual(cache.held.map(\.cause), [.reconnect])
    expectEqual(cache.held.map(\.awaited), [[run]])
    expectNil(cache.fetching(query))
  }

  @Test func aFetchThatACallerAwaitsDoesNotWaitForRuns() {
    let awaited = Query<Int>.n("awaited")
    _ = cache.online(false)
    cache.fetch(awaited)
    let polled = Query<Int>.n("polled")
    cache.observe(polled)
    cache.run(Mutation("m") { $0 })
    _ = cache.online(true)
    expectEqual(cache.machine(of: awaited)?.isPaused, false)
    expectEqual(cache.machine(of: polled)?.isPaused, true)
  }

  @Test func whileOfflineAnActivationWaitsForNoRun() {
    let query = watched("n")
    _ = cache.online(false)
    cache.run(Mutation("m") { $0 })
    _ = cache.active(false)
    _ = cache.active(true)
    expectEmpty(cache.held)
    expectEqual(cache.machine(of: query)?.cause, .active)
  }

  // MARK: Triggers and deadlines

  @Test func anElementOfItsOwnStreamRefetchesWhatIsObserved() {
    let fresh = watched("fresh") { $0.staleTime(.seconds(60)) }
    let unobserved = Query<Int>.n("unobserved")
    let bare = Query(key: QueryKey<Int>("bare"))
    let disabled = Query<Int>.n("disabled").enabled(false)
    cache.fetch(unobserved)
    cache.answer(unobserved, .value(TypedBox(1)))
    for query in [bare, disabled] { cache.observe(query) }
    let queries = [fresh, unobserved, bare, disabled, .n("unknown")]
    for query in queries { cache.trigger(query) }
    expectEqual(queries.map(cache.fetching), [.trigger, nil, nil, nil, nil])
  }

  @Test func deadlinesAboveTheLimitAreLeftForTheNextTransaction() {
    for number in 0..<5 {
      let query = Query<Int>("n", number) { 0 }
      cache.fetch(query)
      cache.answer(query, .value(TypedBox(1)))
    }
    expect(cache.timeReached(limit: 2), "nothing is due yet")
    cache.pass(to: 300)
    var left: [Int] = []
    while !cache.timeReached(limit: 2) { left.append(cache.count) }
    expectEqual(left, [3, 1])
    expectEqual(cache.count, 0)
  }
}
