import StreamQuery
import StreamQueryTesting
import Testing

/// Reconnects, activity, intervals, and streams of causes.
struct TriggerTests {
  let simulation = Simulation(seed: 43)
  let online = ManualSignal(true)
  let active = ManualSignal(true)

  private func client() -> QueryClient {
    let (online, active) = (online, active)
    return QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
    }
  }

  // O05 O06 T11 T35
  @Test(arguments: [true, false])
  func aReturnRefetchesByPolicy(isReconnect: Bool) {
    let client = client()
    let fetched = Notes<String>()
    func query(_ name: String, _ policy: RefetchPolicy) -> Query<Int> {
      let query = Query(name) { (context: FetchContext) in
        fetched.add("\(name) \(context.cause)")
        return 1
      }.staleTime(.seconds(10))
      return isReconnect
        ? query.refetchOnReconnect(policy).refetchOnActive(.never)
        : query.refetchOnActive(policy).refetchOnReconnect(.never)
    }
    let recordings = [
      simulation.record(client.stream(query("never", .never))),
      simulation.record(client.stream(query("ifStale", .ifStale))),
      simulation.record(client.stream(query("always", .always))),
      simulation.record(client.stream(query("yes", .when { true }))),
      simulation.record(client.stream(query("no", .when { false }))),
      simulation.record(client.stream(query("told", .when { $0.isStale }))),
      simulation.record(client.stream(query("askedNever", .dynamic { _ in .never }))),
      simulation.record(client.stream(query("askedIfStale", .dynamic { _ in .ifStale }))),
      simulation.record(client.stream(query("askedAlways", .dynamic { _ in .always }))),
      simulation.record(client.stream(query("off", .dynamic { _ in .always }).enabled(false))),
      simulation.record(client.stream(query("still", .when { _ in true }).staleTime(.static))),
      simulation.record(client.stream(query("disabled", .always).enabled(false))),
      simulation.record(client.stream(query("static", .always).staleTime(.static))),
    ]
    simulation.settle()
    let signal = isReconnect ? online : active
    let cause = isReconnect ? "reconnect" : "active"
    func flap() -> [String] {
      let before = fetched.count
      signal.send(false)
      simulation.settle()
      signal.send(true)
      simulation.settle()
      return fetched.all.dropFirst(before).sorted()
    }
    expectEqual(flap(), ["always", "askedAlways", "yes"].map { "\($0) \(cause)" })
    simulation.advance(by: .seconds(10))
    expectEqual(
      flap(),
      ["always", "askedAlways", "askedIfStale", "ifStale", "told", "yes"]
        .map { "\($0) \(cause)" }
    )
    withExtendedLifetime(recordings) {}
  }

  @Test func aPollThatFailsInTheBackgroundBacksOffAndGoesOnThere() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(1)), .failure(Boom(2)), .value(2))
    let query = Query.scripted("n", fetch).retry(.times(1).backoff(.constant(.seconds(2))))
      .refetchInterval(.every(.seconds(10)), inBackground: .every(.seconds(30)))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    active.send(false)
    simulation.advance(by: .seconds(100))
    // Tried again after 2 seconds; then, 30 seconds after the failure, polled as before.
    expectEqual(fetch.calls.map { $0.start / .seconds(1) }, [0, 30, 32, 62, 92])
    #expect(!recording.values.contains { $0.isPaused })
    expectEqual(recording.values.last?.data, 2)
    recording.cancel()
  }

  @Test(arguments: [true, false])
  func aConditionIsToldOfTheQueryAsItIsAtTheReturn(isReconnect: Bool) {
    let client = client()
    let told = Notes<String>()
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let policy = RefetchPolicy.when { info in
      told.add("\(info.value(as: Int.self) ?? -1), \(info.fetchStatus), \(info.age ?? .zero)")
      return info.dataUpdateCount < 2
    }
    let query = Query.scripted("n", fetch).staleTime(.infinite)
    let recording = simulation.record(
      client.stream(
        isReconnect ? query.refetchOnReconnect(policy) : query.refetchOnActive(policy)
      )
    )
    let signal = isReconnect ? online : active
    for _ in 1...3 {
      simulation.advance(by: .seconds(1))
      signal.send(false)
      simulation.settle()
      signal.send(true)
      simulation.settle()
    }
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(1_000, .success(1, isFetching: true)), at(1_010, .success(2)),
      ]
    )
    expectEqual(
      told.all,
      [
        "1, idle, 0.99 seconds", "2, idle, 0.99 seconds", "2, idle, 1.99 seconds",
      ]
    )
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func aPolicyThatAnswersLateIsJudgedByTheDataThatIsThereThen() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    let told = Notes<Int>()
    let query = Query.scripted("n", fetch).staleTime(.seconds(2)).refetchOnReconnect { info in
      told.add(info.dataUpdateCount)
      try? await Scheduling.current.clock.sleep(for: .seconds(2))
      return .ifStale
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    online.send(false)
    online.send(true)
    // Fresh as it was asked, and as old as the stale time as it answers.
    simulation.advance(by: .seconds(3))
    expectEqual(fetch.calls.map(\.start), [.zero, .seconds(3)])
    expectEqual(told.all, [1])
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // X28 N01
  @Test func theFirstReportIsAStateAndNoReturn() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    online.send(true)
    active.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    withExtendedLifetime(recording) {}
  }

  // O07
  @Test func anAsynchronousConditionHoldsUpNothingElse() {
    let client = client()
    let gate = ManualSignal(false)
    let slow = ScriptedFetch<Int>(.value(1))
    let quick = ScriptedFetch<Int>(.value(1))
    let one = simulation.record(
      client.stream(
        Query.scripted("slow", slow).refetchOnReconnect(
          .when {
            for await isOpen in gate where isOpen { return true }
            return false
          }
        )
      )
    )
    let two = simulation.record(client.stream(.scripted("quick", quick)))
    simulation.settle()
    online.send(false)
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual([slow.callCount, quick.callCount], [1, 2])
    gate.send(true)
    simulation.settle()
    expectEqual([slow.callCount, quick.callCount], [2, 2])
    expectEqual(one.values.last?.cause, .reconnect)
    one.cancel()
    two.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // O07
  @Test func aConditionThatAnswersAfterItsConsumerLeftDoesNothing() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).refetchOnReconnect(
          .when {
            try? await Scheduling.current.clock.sleep(for: .seconds(1))
            return true
          }
        )
      )
    )
    simulation.settle()
    online.send(false)
    online.send(true)
    simulation.advance(by: .milliseconds(500))
    recording.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 1)
    expect(simulation.isIdle)
  }

  /// Makes a query that refetches after a reconnect, on a condition that answers a second later.
  private func answeringLate(_ fetch: ScriptedFetch<Int>) -> Query<Int> {
    Query.scripted("n", fetch).refetchOnReconnect(
      .when {
        try? await Scheduling.current.clock.sleep(for: .seconds(1))
        return true
      }
    )
  }

  @Test(
    "law 13: a condition that answers after a removal does not fetch what was removed",
    arguments: [false, true]
  )
  func aConditionThatAnswersAfterARemoval(clears: Bool) {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = answeringLate(fetch)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    online.send(false)
    online.send(true)
    simulation.advance(by: .milliseconds(500))
    if clears { client.clear() } else { client.remove(query) }
    simulation.advance(by: .seconds(2))
    expectEqual(fetch.callCount, 1)
    // The next return asks again.
    online.send(false)
    online.send(true)
    simulation.advance(by: .seconds(2))
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }

  @Test func aReturnAfterARemovalFetchesEvenIfAnInvalidationComesMeanwhile() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = answeringLate(fetch)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    client.remove(query)
    simulation.advance(by: .milliseconds(100))
    online.send(false)
    online.send(true)
    simulation.advance(by: .milliseconds(500))
    client.markInvalidated(.query(query), refetch: .never)
    simulation.advance(by: .seconds(2))
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }

  // O08 T12
  @Test func anIntervalPollsFromTheStartOfEachFetchWhileObserved() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(100)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).refetchInterval(.seconds(1)))
    )
    simulation.advance(by: .milliseconds(3_500))
    let starts = fetch.calls.map(\.start)
    expectEqual(starts.first, .zero)
    #expect(starts.count >= 3)
    #expect(zip(starts.dropFirst(), starts).allSatisfy { $0 - $1 <= .milliseconds(1_100) })
    expectEqual(recording.values.last.map { $0.cause == .interval }, true)
    recording.cancel()
    let count = fetch.callCount
    simulation.advance(by: .hours(1))
    expectEqual(fetch.callCount, count)
    expect(simulation.isIdle)
  }

  // O09 T13 X09
  @Test func theBackgroundHasNoIntervalTheSameOrASlowerOne() {
    for (background, expected) in [
      (BackgroundInterval.off, 0), (.same, 10), (.every(.seconds(5)), 2),
    ] {
      let simulation = Simulation(seed: 2)
      let active = ManualSignal(true)
      let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { active } }
      let fetch = ScriptedFetch<Int>(.value(1))
      let recording = simulation.record(
        client.stream(
          Query.scripted("n", fetch).refetchOnActive(.never)
            .refetchInterval(.every(.seconds(1)), inBackground: background)
        )
      )
      simulation.advance(by: .milliseconds(2_500))
      expectEqual(fetch.callCount, 3)
      active.send(false)
      simulation.advance(by: .milliseconds(10_000))
      expectEqual(fetch.callCount - 3, expected, "\(background)")
      active.send(true)
      simulation.advance(by: .milliseconds(2_000))
      expectEqual(fetch.callCount - 3 - expected, 2, "\(background)")
      recording.cancel()
    }
  }

  // O08
  @Test func aWrongUnitCannotSpin() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).refetchInterval(.nanoseconds(1)))
    )
    simulation.advance(by: .milliseconds(100))
    #expect(fetch.callCount <= 101)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func theQuerysOwnStreamRefetchesWhileObservedAndEndsWithIt() {
    let client = client()
    let ticks = ManualSignal(0)
    let fetch = ScriptedFetch<Int>(.value(1))
    // The signal says its present value first: that is an element too.
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).refetch(on: ticks))
    )
    simulation.settle()
    let before = fetch.callCount
    ticks.send(1)
    simulation.settle()
    ticks.send(2)
    simulation.settle()
    expectEqual(fetch.callCount, before + 2)
    expectEqual(recording.values.last?.cause, .trigger)
    recording.cancel()
    simulation.settle()
    expectEqual(ticks.consumerCount, 0)
    ticks.send(3)
    simulation.settle()
    expectEqual(fetch.callCount, before + 2)
    expect(simulation.isIdle)
  }

  struct Failing: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
      var left = 2

      mutating func next() async throws -> Int? {
        left -= 1
        if left < 0 { throw Boom() }
        try? await Scheduling.current.clock.sleep(for: .seconds(1))
        return left
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }

  @Test func aFiniteOrFailingStreamTriggersNoMoreAndIsMadeAnewForEachSubscription() {
    let client = client()
    let made = Dial(0)
    @Sendable func causes() -> Failing {
      made.with { $0 += 1 }
      return Failing()
    }
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = Query.scripted("n", fetch).refetch(on: causes())
    for round in 1...2 {
      let recording = simulation.record(client.stream(query))
      simulation.advance(by: .minutes(1))
      expectEqual(fetch.callCount, 3 * round)
      expectEqual(made.value, round)
      recording.cancel()
      simulation.settle()
    }
    expect(simulation.isIdle)
  }

  @Test func connectedTriggersInvalidateAndRefetchUntilTheHandleEnds() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).staleTime(.infinite))
    )
    simulation.settle()
    let ticks = ManualSignal(0)
    let connection = Dial<TriggerConnection?>(
      client.connect(
        triggers: ticks.map { tick -> QueryTrigger in
          tick.isMultiple(of: 2) ? .invalidate("n") : .refetch("n")
        }
      )
    )
    simulation.settle()
    let before = fetch.callCount
    expectEqual(before, 2)
    for tick in 1...3 {
      ticks.send(tick)
      simulation.settle()
    }
    expectEqual(fetch.callCount, before + 3)
    connection.value = nil
    simulation.settle()
    expectEqual(ticks.consumerCount, 0)
    ticks.send(4)
    simulation.settle()
    expectEqual(fetch.callCount, before + 3)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // O04 T11
  @Test func subscribingRefetchesByPolicyAndAlwaysLoadsWithoutData() {
    for (policy, fresh, stale) in [
      (RefetchPolicy.never, 0, 0), (.ifStale, 0, 1), (.always, 1, 1),
    ] {
      let simulation = Simulation(seed: 4)
      let client = QueryClient(simulation: simulation)
      let fetch = ScriptedFetch<Int>(.value(1))
      let query = Query.scripted("n", fetch).staleTime(.seconds(1)).refetchOnSubscribe(policy)
      _ = client.stream(query)
      simulation.run { await client.prefetch(query) }
      let loaded = fetch.callCount
      #expect(loaded >= 1)
      let one = simulation.record(client.stream(query))
      simulation.settle()
      expectEqual(fetch.callCount - loaded, fresh, "\(policy)")
      simulation.advance(by: .seconds(1))
      let two = simulation.record(client.stream(query))
      simulation.settle()
      expectEqual(fetch.callCount - loaded - fresh, stale, "\(policy)")
      one.cancel()
      two.cancel()
    }
  }

  // O04
  @Test func eachSubscriptionAsksTheRuleAndNobodyElseDoes() {
    let client = client()
    let asked = Notes<String>()
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).staleTime(.infinite).refetchOnSubscribe { info in
      asked.add("\(info.value(as: Int.self) ?? -1) of \(info.observerCount)")
      return info.dataUpdateCount == 1 ? .always : .never
    }
    // Without data it loads whatever the answer.
    let first = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    let observer = client.observer(of: query, options: ObserverOptions(gcTime: .seconds(1)))
    let third = simulation.record(observer.stream)
    simulation.advance(by: .seconds(1))
    expectEqual(asked.all, ["-1 of 0", "1 of 1", "2 of 2"])
    simulation.run { await client.prefetch(query) }
    client.setData(3, for: QueryKey("n"))
    observer.update(options: ObserverOptions(gcTime: .seconds(2)))
    simulation.advance(by: .seconds(1))
    let landed = [at(1_000, .success(1, isFetching: true)), at(1_010, .success(2))]
    let loaded = [at(0, .pending(isFetching: true)), at(10, .success(1))]
    #expect(first.timeline == loaded + landed + [at(3_000, .success(3))])
    #expect(second.timeline == landed + [at(3_000, .success(3))])
    #expect(third.timeline == [at(2_000, .success(2)), at(3_000, .success(3))])
    expectEqual(asked.count, 3)
    for recording in [first, second, third] { recording.cancel() }
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func aRuleOfSubscriptionsIsToldOfInitialDataAndOfNoLaterChange() {
    let client = client()
    let asked = Notes<Int?>()
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).staleTime(.infinite).initialData(7)
      .enabled { (data: Int?) in data != 5 }
      .refetchOnSubscribe { info in
        let data = info.value(as: Int.self)
        asked.add(data)
        return data == 7 ? .always : .never
      }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    let count = asked.count
    for data in [5, 7] {
      client.setData(data, for: QueryKey("n"))
      simulation.advance(by: .seconds(1))
    }
    #expect(
      recording.timeline == [
        at(0, .success(7, isFetching: true)), at(10, .success(1)), at(1_000, .success(5)),
        at(2_000, .success(7)),
      ]
    )
    expectEqual(asked.all.last, 7)
    expectEqual(asked.count, count)
    recording.cancel()
  }
  // O04 O07
  @Test func aSubscriptionShowsTheCachedDataWhileItsPolicyWaits() {
    let client = client()
    let asked = Notes<String>()
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).staleTime(.infinite).refetchOnSubscribe(
      .when { info in
        try? await Scheduling.current.clock.sleep(for: .milliseconds(10))
        asked.add("\(info.value(as: Int.self) ?? -1) of \(info.observerCount)")
        return info.dataUpdateCount == 1
      }
    )
    // Without data nobody is asked.
    let first = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(asked.all, [])
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    let third = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(asked.all, ["1 of 2", "2 of 3"])
    let refetched = [at(1_010, .success(1, isFetching: true)), at(1_020, .success(2))]
    #expect(first.timeline == [at(0, .pending(isFetching: true)), at(10, .success(1))] + refetched)
    #expect(second.timeline == [at(1_000, .success(1))] + refetched)
    #expect(third.timeline == [at(2_000, .success(2))])
    for recording in [first, second, third] { recording.cancel() }
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func aPolicyThatAnswersWhenItsObserverHasLeftRefetchesNothing() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    let query = Query.scripted("n", fetch).refetchOnSubscribe(
      .dynamic { _ async in
        try? await Scheduling.current.clock.sleep(for: .milliseconds(10))
        return .always
      }
    )
    simulation.run { await client.prefetch(query) }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    recording.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.map(\.data), [1])
    expectEqual(fetch.callCount, 1)
  }
}
