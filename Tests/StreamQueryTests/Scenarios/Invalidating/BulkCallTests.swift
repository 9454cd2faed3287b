import StreamQuery
import StreamQueryTesting
import Testing

struct BulkCallTests {
  let simulation = Simulation(seed: 19)

  /// Ten entries: 0 and 1 observed, 2 disabled, 3 failed, 4 fresh for long, the rest written.
  private func populate(_ client: QueryClient) -> [ResultRecording<QueryResult<Int>>] {
    for n in 4..<10 { client.setData(n, for: QueryKey("n", n)) }
    var recordings: [ResultRecording<QueryResult<Int>>] = []
    for n in 0..<3 {
      recordings.append(
        simulation.record(client.stream(Query("n", n) { n }.enabled(n != 2)))
      )
    }
    simulation.run { await client.prefetch(Query<Int>("n", 3) { throw Boom() }) }
    simulation.run { await client.prefetch(Query<Int>("n", 4) { 4 }.staleTime(.infinite)) }
    simulation.settle()
    return recordings
  }

  // T60 C15
  @Test func filtersComposeByAndOrNot() {
    let client = QueryClient(simulation: simulation)
    let recordings = populate(client)
    // Without observers only what was marked is stale.
    simulation.run {
      await client.invalidate(!.key(QueryKey<Int>("n", 4)) && .inactive, refetch: .never)
    }
    func keys(_ filter: QueryFilter) -> [String] {
      client.diagnostics(filter).map { "\($0.key)".filter(\.isNumber) }.sorted()
    }
    expectEqual(keys(.all), (0..<10).map(String.init))
    expectEqual(keys(.active), ["0", "1"])
    expectEqual(keys(.inactive), (2..<10).map(String.init))
    expectEqual(keys(.fresh), ["2", "4"])
    expectEqual(keys(.stale && !.active), ["3", "5", "6", "7", "8", "9"])
    expectEqual(keys(.status(.error) || .status(.pending)), ["2", "3"])
    expectEqual(keys(!(.status(.success))), ["2", "3"])
    expectEqual(keys(.prefix("n", 7) || .key(QueryKey<Int>("n", 8))), ["7", "8"])
    expectEqual(keys(["n", 7]), ["7"])
    expectEqual(keys("n" && .where { ($0.data as? Int ?? 0) > 7 }), ["8", "9"])
    expectEqual(keys(!.where { $0.observerCount == 0 }), ["0", "1", "2"])
    expectEqual(keys(.where { _ in true } && .active || .prefix("n", 9)), ["0", "1", "9"])
    expectEqual(keys(.key(QueryKey<String>("n", 8))), [])
    expectEqual(keys(.fetching), [])
    withExtendedLifetime(recordings) {}
  }

  @Test("a status is that of the data below the changes of mutations, with a predicate as without")
  func statusBelowOptimisticChanges() {
    let client = QueryClient(simulation: simulation)
    let (shown, hidden) = (QueryKey<Int>("n", 1), QueryKey<Int>("n", 2))
    client.setData(2, for: hidden)
    let mutation = Mutation<Int, Int>("m") { input in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return input
    }
    .optimistic { input, changes in
      changes.update(shown) { $0 = input }
      changes.update(hidden) { $0 = nil }
    }
    simulation.start(mutation, with: 1, on: client)
    expectEqual(client.result(for: shown).data, 1)
    expectNil(client.result(for: hidden).data)
    func keys(_ filter: QueryFilter) -> [String] {
      client.diagnostics(filter).map { "\($0.key)".filter(\.isNumber) }
    }
    expectEqual(keys(.status(.pending)), ["1"])
    expectEqual(keys(.status(.pending) && .where { _ in true }), ["1"])
    expectEqual(keys(.status(.success)), ["2"])
    expectEqual(keys(.status(.success) && .where { _ in true }), ["2"])
    simulation.advance(by: .seconds(2))
  }

  // T46 C07
  @Test func invalidateMarksAllAndRefetchesByScope() {
    for (scope, expected) in [
      (RefetchScope.never, []), (.active, ["a"]), (.inactive, ["i"]), (.all, ["a", "i"]),
    ] {
      let simulation = Simulation(seed: 1)
      let client = QueryClient(simulation: simulation)
      let fetched = Notes<String>()
      let active = Query<Int>("a") {
        fetched.add("a"); return 1
      }.staleTime(.infinite)
      let inactive = Query<Int>("i") {
        fetched.add("i"); return 1
      }.staleTime(.infinite)
      let recording = simulation.record(client.stream(active))
      simulation.run { await client.prefetch(inactive) }
      let before = fetched.count
      simulation.run { await client.invalidate(.all, refetch: scope) }
      expectEqual(fetched.all.dropFirst(before).sorted(), expected)
      expectEqual(client.isStale(active), !expected.contains("a"))
      expectEqual(client.isStale(inactive), !expected.contains("i"))
      recording.cancel()
    }
  }

  // T46
  @Test func invalidateReturnsWhenTheLastRefetchIsSettledFailedOnesIncluded() {
    let client = QueryClient(simulation: simulation)
    let recordings = (1...3).map { n in
      simulation.record(
        client.stream(
          Query(
            "n",
            n,
            fetch: ScriptedFetch<Int>(
              .value(n),
              n == 2
                ? .failure(Boom(), after: .milliseconds(20))
                : .value(n, after: .milliseconds(n * 10))
            )
          ).retry(.never)
        )
      )
    }
    simulation.settle()
    simulation.run { await client.invalidate("n") }
    expectEqual(simulation.now, .milliseconds(30))
    #expect(
      recordings[1].timeline == [
        at(0, .pending(isFetching: true)), at(0, .success(2)),
        at(0, .success(2, isFetching: true)), at(20, .failure(Boom(), lastGood: 2)),
      ]
    )
    #expect(throws: Boom()) {
      try simulation.run { try await client.invalidate("n", throwOnError: true) }
    }
    // Failed fast: the third still runs.
    expectEqual(simulation.now, .milliseconds(50))
    expectEqual(client.fetchingCount(), 1)
    simulation.advance(by: .seconds(1))
    expectEqual(client.fetchingCount(), 0)
    withExtendedLifetime(recordings) {}
  }

  @Test("T46: a failure stays in the results if nobody asks for it to be thrown")
  func aFailureIsNotThrownUnlessAskedFor() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom()), .failure(Boom()), .failure(Boom()))
    let query = Query<Int>.scripted("n", fetch).retry(.never)
    let observer = client.observer(of: query)
    simulation.settle()
    try simulation.run { try await client.refetch("n", throwOnError: false) }
    try simulation.run { try await client.invalidate("n", throwOnError: false) }
    let result = try simulation.run { try await observer.refetch(throwOnError: false) }
    #expect(result.error is Boom && result.data == 1)
    expectEqual(fetch.calls.map(\.outcome), [.value, .failure, .failure, .failure])
  }

  // T46 T49
  @Test(arguments: [true, false]) func aCancelledRefetchIsThrownIfNoDataIsLeft(hasData: Bool) {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { 1 }
    let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)))
    if hasData { client.setData(0, for: query) }
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    let outcome = Notes<String>()
    simulation.task {
      do {
        try await client.refetch("n", throwOnError: true)
        outcome.add("returned")
      } catch {
        outcome.add("\(type(of: error))")
      }
    }
    simulation.settle()
    client.cancel("n")
    simulation.settle()
    expectEqual(outcome.all, [hasData ? "returned" : "CancellationError"])
    withExtendedLifetime(recording) {}
  }

  // T47
  @Test func aPausedFetchCountsAsSettled() {
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(1))
    online.send(false)
    simulation.settle()
    simulation.run { await client.refetch("n") }
    simulation.run { await client.invalidate("n") }
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(1, .success(1)), at(1, .success(1, .paused)),
        // Replaced by another that waits as well.
        at(1, .success(1, .paused)),
      ]
    )
    expectEqual(recording.values.map(\.cause), [.subscribed, .subscribed, .manual, .invalidated])
  }

  // T47
  @Test func aFetchThatPausesLaterIsWaitedFor() {
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(1)),
      .failure(Boom(), after: .milliseconds(10))
    )
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(1))
    simulation.task { [clock = simulation.clock] in
      try? await clock.sleep(for: .milliseconds(5))
      online.send(false)
    }
    let call = simulation.task { await client.refetch("n") }
    simulation.advance(by: .seconds(2))
    expect(!simulation.isIdle)
    call.cancel()
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(1, .success(1)),
        at(1, .success(1, isFetching: true)), at(11, .success(1, isFetching: true)),
        at(1_011, .success(1, .paused)),
      ]
    )
  }

  // T46
  @Test func aCancelledCallerReturnsAtOnceAndTheRefetchesGoOn() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2, after: .milliseconds(10)))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    let ended = Notes<Duration>()
    let task = simulation.task { [clock = simulation.clock] in
      await client.invalidate("n")
      ended.add(clock.now.offset)
    }
    simulation.advance(by: .milliseconds(4))
    task.cancel()
    simulation.advance(by: .milliseconds(20))
    expectEqual(ended.all, [.milliseconds(4)])
    expectEqual(recording.values.last?.data, 2)
  }

  // X03 T31
  @Test func invalidatingDuringAFirstLoadJoinsAndDuringARefreshSupersedes() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10)),
      .value(3, after: .milliseconds(10))
    )
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(5))
    // The first load's answer may be older than the mark: one more fetch follows it.
    simulation.run { await client.invalidate("n") }
    expectEqual(simulation.now, .milliseconds(20))
    simulation.task { await client.invalidate("n") }
    simulation.advance(by: .milliseconds(5))
    simulation.run { await client.invalidate("n") }
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1, isFetching: true)),
        at(20, .success(2)), at(20, .success(2, isFetching: true)), at(35, .success(3)),
      ]
    )
    expectEqual(fetch.calls.map(\.outcome), [.value, .value, .cancelled, .value])
    expectEqual(
      fetch.calls.map(\.start),
      [.zero, .milliseconds(10), .milliseconds(20), .milliseconds(25)]
    )
  }

  // X03
  @Test func invalidatingWithoutSupersedingJoinsTheRefresh() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(10))
    simulation.task { await client.refetch("n") }
    simulation.advance(by: .milliseconds(5))
    simulation.run { await client.invalidate("n", superseding: false) }
    expectEqual(simulation.now, .milliseconds(20))
    expectEqual(fetch.callCount, 2)
    expectEqual(recording.values.last?.data, 2)
  }

  // T46
  @Test func invalidatingStaleDataWithoutARefetchShowsNothingNew() {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(Query("n") { 1 }))
    simulation.settle()
    simulation.run { await client.invalidate("n", refetch: .never) }
    simulation.run { await client.invalidate("n", refetch: .never) }
    // It was stale before: the picture is the same, so nobody is told.
    #expect(recording.summaries == [.pending(isFetching: true), .success(1)])
    expectEqual(client.diagnostics("n").map(\.isInvalidated), [true])
  }

  // T47
  @Test func refetchLeavesOutDisabledAndStaticEntries() {
    let client = QueryClient(simulation: simulation)
    let fetched = Notes<String>()
    @Sendable func query(_ name: String) -> Query<Int> {
      Query(name) {
        fetched.add(name)
        return 1
      }
    }
    let recordings = [
      simulation.record(client.stream(query("plain"))),
      simulation.record(client.stream(query("disabled").enabled(false))),
      simulation.record(client.stream(query("static").staleTime(.static))),
    ]
    client.setData(1, for: QueryKey<Int>("written"))
    simulation.run { await client.prefetch(query("unobserved")) }
    let before = fetched.count
    simulation.run { await client.refetch(.all) }
    expectEqual(fetched.all.dropFirst(before).sorted(), ["plain", "unobserved"])
    // It was tried, because a query might bring a fetch closure meanwhile.
    #expect(throws: QueryError.missingFetch(key: #"["written"]"#)) {
      try simulation.run { try await client.refetch("written", throwOnError: true) }
    }
    withExtendedLifetime(recordings) {}
  }

  @Test(arguments: [true, false]) func aQueryGivesItsFetchToAWrittenEntry(refetches: Bool) {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { 7 }
    client.setData(1, for: query)
    simulation.run {
      if refetches {
        await client.refetch(query)
      } else {
        await client.invalidate(query, refetch: .all)
      }
    }
    expectEqual(client.data(for: query), 7)
    expectEqual(simulation.now, .zero)
  }

  @Test(arguments: [RefetchScope.inactive, .all])
  func aTriggerGivesTheFetchOfItsQueryToAWrittenEntry(scope: RefetchScope) {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { 7 }
    client.setData(1, for: query)
    let news = ManualSignal(QueryTrigger.invalidate(query, refetch: scope))
    let connection = client.connect(triggers: news)
    simulation.settle()
    connection.cancel()
    expectEqual(client.data(for: query), 7)
    expectEqual(simulation.now, .zero)
  }

  @Test func anUnobservedRefetchHasTheClientsOwnLeaseAndOutlivesItsCaller() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2, after: .milliseconds(10)))
    simulation.run { await client.prefetch(.scripted("n", fetch)) }
    let task = simulation.task { await client.refetch("n") }
    simulation.advance(by: .milliseconds(1))
    task.cancel()
    simulation.advance(by: .milliseconds(20))
    expectEqual(client.data(for: QueryKey<Int>("n")), 2)
    expect(simulation.isIdle)
  }

  // T49 C09, law 13
  @Test func removalIsVisibleAndFetchesNothingUntilTheNextTrigger() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(20))
    client.remove("n")
    simulation.advance(by: .hours(1))
    expectEqual(fetch.callCount, 1)
    simulation.run { await client.invalidate("n") }
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)), at(20, .pending()),
        at(3_600_020, .pending(isFetching: true)), at(3_600_030, .success(2)),
      ]
    )
    expectEqual(recording.values.map(\.isFetched), [false, true, false, false, true])
  }

  // T49 T51
  @Test(arguments: [true, false])
  func removalDuringAFetchKeepsItOutAndItsCallersAreCancelled(clear: Bool) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10), ignoringCancellation: true)
    )
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    let errors = Notes<Bool>()
    simulation.task {
      do { try await client.fetch(.scripted("n", fetch)) } catch {
        errors.add(error is CancellationError)
      }
    }
    simulation.advance(by: .milliseconds(5))
    if clear { client.clear() } else { client.remove("n") }
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline == [at(0, .pending(isFetching: true)), at(5, .pending())])
    expectEqual(errors.all, [true])
    expectNil(client.data(for: QueryKey<Int>("n")))
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // T50 C11
  @Test func resetGoesBackToInitialDataAndRefetchesEnabledStreams() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).initialData(-1)
    let recording = simulation.record(client.stream(query))
    let disabled = simulation.record(client.stream(Query("m") { 1 }.enabled(false)))
    simulation.advance(by: .milliseconds(20))
    client.setData(9, for: QueryKey<Int>("m"))
    simulation.settle()
    simulation.run { await client.reset(.all) }
    #expect(
      recording.timeline == [
        at(0, .success(-1, isFetching: true)), at(10, .success(1)),
        at(20, .success(-1, isFetching: true)), at(30, .success(2)),
      ]
    )
    #expect(disabled.timeline == [at(0, .pending()), at(20, .success(9)), at(20, .pending())])
  }

  // T49
  @Test func removeWithFiltersTakesOnlyWhatTheyMean() {
    let client = QueryClient(simulation: simulation)
    for n in 0..<10 { client.setData(n, for: QueryKey<Int>("n", n)) }
    client.remove("n" && .where { ($0.data as? Int ?? 0).isMultiple(of: 2) })
    expectEqual(client.entries(of: Int.self).map(\.data).sorted(), [1, 3, 5, 7, 9])
    client.remove(!.prefix("n", 5))
    expectEqual(client.entries(of: Int.self).map(\.data), [5])
  }

  @Test func aPredicateMayUseTheClient() {
    let client = QueryClient(simulation: simulation)
    for n in 0..<3 { client.setData(n, for: QueryKey<Int>("n", n)) }
    let count = Dial(0)
    client.remove(
      .where { info in
        count.with { $0 += 1 }
        // Changes the very entries that it is asked about.
        client.updateData(for: QueryKey<Int>("n", 1)) { $0? += 1 }
        return info.data as? Int == 0
      }
    )
    expectEqual(client.entries(of: Int.self).map(\.data).count, 2)
    // Three rounds, then the last answers stand.
    #expect(count.value <= 9)
  }

  @Test func bulkCallsOnNothingReturnAtOnce() {
    let client = QueryClient(simulation: simulation)
    simulation.run {
      await client.invalidate(.all)
      await client.refetch("nothing")
      await client.reset(.active)
    }
    client.cancel(.all)
    client.remove(.all)
    client.clear()
    expectEqual(simulation.now, .zero)
    expect(simulation.isIdle)
  }

  @Test func aBulkUpdateCountsWhatItWrote() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("gone", ScriptedFetch<Int>(.never))
    let caller = simulation.task { try? await client.fetch(query) }
    simulation.settle()
    let rounds = Dial(0)
    let count = client.updateData(matching: "gone", of: Int.self) { _, value in
      rounds.with { $0 += 1 }
      if rounds.value == 1 { client.remove(.key(query.key)) }
      value = 5
    }
    expectEqual(count, 0)
    expectEqual(rounds.value, 1)
    expectNil(client.data(for: query.key))
    caller.cancel()
    simulation.settle()
    client.shutDown()
  }
}
