import StreamQuery
import StreamQueryTesting
import Testing

struct QueryObserverTests {
  let simulation = Simulation(seed: 11)

  // S08 L03
  @Test func changingTheKeyShowsItsCachedDataAtOnceAndLeavesTheOldEntryAlone() {
    let client = QueryClient(simulation: simulation)
    let one = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let two = ScriptedFetch<Int>(.value(22, after: .milliseconds(10)))
    client.setData(2, for: QueryKey<Int>("two"))
    let observer = client.observer(of: .scripted("one", one))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(100))
    observer.update(query: .scripted("two", two))
    simulation.advance(by: .milliseconds(100))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(100, .success(2, isFetching: true)), at(110, .success(22)),
      ]
    )
    expectEqual(client.data(for: QueryKey<Int>("one")), 1)
    expectEqual(client.diagnostics().map(\.observerCount), [1, 0])
  }

  // S08
  @Test func changingToAKeyWithFreshDataFetchesNothing() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1))
    client.setData(2, for: QueryKey<Int>("two"))
    let observer = client.observer(
      of: Query.scripted("one", fetch).staleTime(.minutes(1))
    )
    simulation.settle()
    observer.update(query: Query.scripted("two", fetch).staleTime(.minutes(1)))
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    expectEqual(observer.result.data, 2)
    expectEqual(observer.result.isStale, false)
  }

  // S08
  @Test func changingTheKeyDuringAFetchAbandonsIt() {
    let client = QueryClient(simulation: simulation)
    let one = ScriptedFetch<Int>(.never)
    let two = ScriptedFetch<Int>(.value(2, after: .milliseconds(10)))
    let observer = client.observer(of: .scripted("one", one))
    let recording = simulation.record(observer.results)
    simulation.advance(by: .milliseconds(5))
    observer.update(query: .scripted("two", two))
    simulation.advance(by: .milliseconds(50))
    expectEqual(one.calls.map(\.outcome), [.cancelled])
    #expect(
      recording.timeline == [
        // The same picture: another key, but nothing that was shown differs.
        at(0, .pending(isFetching: true)), at(5, .pending(isFetching: true)),
        at(15, .success(2)),
      ]
    )
  }

  // L03 T36
  @Test func turningAnObserverOnFetchesAndOffKeepsShowing() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let observer = client.observer(
      of: .scripted("n", fetch),
      options: ObserverOptions(enabled: false)
    )
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(10))
    observer.update(options: ObserverOptions(enabled: true))
    simulation.advance(by: .milliseconds(40))
    observer.update(options: ObserverOptions(enabled: false))
    simulation.advance(by: .milliseconds(50))
    observer.update(options: ObserverOptions(enabled: true))
    simulation.advance(by: .milliseconds(50))
    #expect(
      recording.timeline == [
        at(0, .pending()), at(10, .pending(isFetching: true)), at(20, .success(1)),
        at(50, .success(1)),
        at(100, .success(1, isFetching: true)), at(110, .success(2)),
      ]
    )
    expectEqual(recording.values.map(\.isEnabled), [false, true, true, false, true, true])
    expectEqual(recording.values.map(\.isStale), [false, true, true, false, true, true])
  }

  @Test func anObserverThatMovesTakesTheTriggersOfItsNewQuery() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let first = ManualSignal(0)
    let second = ManualSignal(0)
    let a = ScriptedFetch(.value("a"))
    let b = ScriptedFetch(.value("b"))
    let fresh = Duration.hours(1)
    let observer = client.observer(
      of: Query("a", fetch: a).staleTime(fresh).refetch(on: first)
    )
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .seconds(1))
    // The signal's present value is an element, so each subscription refetches once.
    let before = a.callCount

    observer.update(query: Query("b", fetch: b).staleTime(fresh).refetch(on: second))
    simulation.advance(by: .seconds(1))
    let moved = b.callCount
    first.send(1)
    simulation.advance(by: .seconds(1))
    expectEqual(a.callCount, before)
    expectEqual(b.callCount, moved)
    expectEqual(first.consumerCount, 0)

    second.send(1)
    simulation.advance(by: .seconds(1))
    expectEqual(b.callCount, moved + 1)
    recording.cancel()
  }

  // Q13 T30
  @Test func refetchReturnsTheResultAfterTheFetchWithItsError() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .failure(Boom(), after: .milliseconds(10))
    )
    let observer = client.observer(of: Query.scripted("n", fetch).retry(.never))
    simulation.advance(by: .milliseconds(10))
    let result = try simulation.run { try await observer.refetch() }
    expectEqual(ResultSummary(result), .failure(Boom(), lastGood: 1))
    expectEqual(simulation.now, .milliseconds(20))
  }

  // S08: a query that is built again for each frame has the same placeholder, and shows nothing new.
  @Test func anotherPlaceholderShowsAtOnceAndAnEqualOneIsNoNews() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.never))
    let observer = client.observer(of: query.placeholder(1))
    let recording = simulation.record(observer.stream)
    simulation.settle()
    for value in [1, 2, 2, 3] {
      observer.update(query: query.placeholder(value))
      simulation.settle()
    }
    expectEqual(recording.values.map(\.data), [1, 2, 3])
    expectEqual(recording.values.map(\.isPlaceholderData), [true, true, true])
    expectEqual(observer.result.data, 3)
  }

  // Q13 T30: the timer that drops the entry and the caller that looks are two tasks.
  @Test func refetchReturnsTheResultAlsoOfAnEntryThatNobodyKeeps() throws {
    for seed: UInt64 in 0..<32 {
      let simulation = Simulation(seed: seed)
      let client = QueryClient(simulation: simulation)
      let observer = client.observer(
        of: Query("n") {
          try await Scheduling.current.clock.sleep(for: .milliseconds(10))
          return 4
        }.gcTime(.zero).enabled(false)
      )
      simulation.record(observer.stream).cancel()
      simulation.settle()
      expectEmpty(client.diagnostics())
      let result = simulation.task { try await observer.refetch() }
      simulation.advance(by: .seconds(1))
      let refetched = try simulation.run { try await result.value }
      expectEqual(refetched.data, 4, "seed \(seed)")
      expect(refetched.isFetchedSinceSubscribing && !refetched.isFetching)
      expectEmpty(client.diagnostics())
    }
  }

  // S08 T30
  @Test func refetchOfAKeyThatWasLeftDoesNotShowItsDataAsAnothers() throws {
    let client = QueryClient(simulation: simulation)
    let one = Query.scripted("one", ScriptedFetch<Int>(.value(1, after: .milliseconds(10))))
      .onAbandonment(.finish)
    let two = Query.scripted("two", ScriptedFetch<Int>(.never)).gcTime(.zero)
    let observer = client.observer(of: one.enabled(false))
    let recording = simulation.record(observer.stream)
    let result = simulation.task { try await observer.refetch() }
    simulation.settle()
    observer.update(query: two.enabled(false))
    recording.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: one), 1)
    try expectNil(simulation.run { try await result.value }.data)
  }

  // T30
  @Test func refetchThatThrowsThrowsTheErrorOfItsFetchAndKeepsItInTheResult() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(7)), .value(3))
    let observer = client.observer(of: .scripted("n", fetch).retry(.never))
    simulation.settle()
    #expect(throws: Boom(7)) {
      try simulation.run { try await observer.refetch(throwOnError: true) }
    }
    #expect(observer.result.error as? Boom == Boom(7))
    expectEqual(observer.result.data, 1)
    let result = try simulation.run {
      try await observer.refetch(superseding: false, throwOnError: true)
    }
    expectEqual(result.data, 3)
    #expect(throws: QueryError.self) {
      try simulation.run {
        try await client.observer(of: Query<Int>(key: "m")).refetch(throwOnError: true)
      }
    }
  }

  // Q13 X16
  @Test func refetchOfADisabledQueryRuns() throws {
    let client = QueryClient(simulation: simulation)
    let observer = client.observer(of: Query("n") { 4 }.enabled(false))
    let result = try simulation.run { try await observer.refetch() }
    expectEqual(result.data, 4)
  }

  // T04 X16
  @Test func refetchWithoutAFetchIsATypedError() {
    let client = QueryClient(simulation: simulation)
    let observer = client.observer(of: Query<Int>(key: "n"))
    #expect(throws: QueryError.missingFetch(key: "[\"n\"]")) {
      try simulation.run { try await observer.refetch() }
    }
  }

  // T30
  @Test func aSecondRefetchReplacesTheFirstUnlessItIsToldToJoin() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(1)),
      .value(2, after: .milliseconds(20)),
      .value(3, after: .milliseconds(20))
    )
    let observer = client.observer(of: .scripted("n", fetch))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(10))
    let answers = Notes<Int?>()
    for superseding in [true, true, false] {
      simulation.task { () async throws -> Void in
        answers.add(try await observer.refetch(superseding: superseding).data)
      }
      simulation.advance(by: .milliseconds(5))
    }
    simulation.advance(by: .milliseconds(100))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(1, .success(1)),
        at(10, .success(1, isFetching: true)), at(35, .success(3)),
      ]
    )
    expectEqual(fetch.calls.map(\.outcome), [.value, .cancelled, .value])
    // The first watched a fetch that was replaced, and waits on for the one that replaced it.
    expectEqual(answers.all, [3, 3, 3])
  }

  // Q13
  @Test func aCancelledRefetchCallerOnlyEndsItsWait() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let observer = client.observer(of: Query.scripted("n", fetch))
    let ends = Notes<Duration>()
    let task = simulation.task { [clock = simulation.clock] () async throws -> Void in
      _ = try? await observer.refetch()
      ends.add(clock.now.offset)
    }
    simulation.advance(by: .milliseconds(5))
    task.cancel()
    simulation.advance(by: .milliseconds(20))
    expectEqual(ends.all, [.milliseconds(5)])
    expectEqual(observer.result.data, 1)
    expectEqual(fetch.calls.map(\.outcome), [.value])
  }

  // Q13 T37
  @Test func invalidateAndResetOfAHandle() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10)),
      .value(3, after: .milliseconds(10))
    )
    let observer = client.observer(of: Query.scripted("n", fetch).staleTime(.infinite))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(50))
    simulation.run { await observer.invalidate() }
    expectEqual(simulation.now, .milliseconds(60))
    simulation.run { await observer.reset() }
    simulation.advance(by: .milliseconds(50))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(50, .success(1, isFetching: true)), at(60, .success(2)),
        at(60, .pending(isFetching: true)), at(70, .success(3)),
      ]
    )
    expectEqual(
      recording.values.map(\.cause),
      [.subscribed, .subscribed, .invalidated, .invalidated, .reset, .reset]
    )
  }

  @Test func aHandleWhoseStreamWasCancelledIsOverAndNeverTraps() throws {
    let client = QueryClient(simulation: simulation)
    let observer = client.observer(of: Query("n") { 1 })
    let recording = simulation.record(observer.stream)
    simulation.settle()
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
    observer.update(query: Query("m") { 2 })
    expectEqual(ResultSummary(observer.result), .pending())
    let again = simulation.record(observer.stream)
    simulation.settle()
    expect(again.isFinished)
    #expect(again.summaries == [])
    expect(simulation.isIdle)
  }

  // O01 O03
  @Test func updatingTheStaleTimeFlipsStaleness() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: "n")
    let observer = client.observer(
      of: Query("n") { 2 },
      options: ObserverOptions(staleTime: .seconds(10))
    )
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .seconds(5))
    observer.update(options: ObserverOptions(staleTime: .seconds(3)))
    simulation.advance(by: .seconds(5))
    observer.update(options: ObserverOptions(staleTime: .seconds(30)))
    simulation.settle()
    expectEqual(recording.values.map(\.isStale), [false, true, false])
    #expect(recording.summaries == [.success(1), .success(1), .success(1)])
  }

  @Test func aPlaceholderThatComesOrGoesWithAnUpdateShowsAtOnce() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>(key: QueryKey("n"))
    let observer = client.observer(of: query)
    let recording = simulation.record(observer.stream)
    simulation.settle()
    observer.update(query: query.placeholder(5))
    simulation.settle()
    expectEqual(recording.values.map(\.data), [nil, 5])
    expectEqual(recording.values.last?.isPlaceholderData, true)
    // The same again is no news.
    observer.update(query: query.placeholder(5))
    simulation.settle()
    expectEqual(recording.values.count, 2)
    observer.update(query: query)
    simulation.settle()
    expectEqual(recording.values.map(\.data), [nil, 5, nil])
    client.setData(1, for: query)
    observer.update(query: query.placeholder(5))
    simulation.settle()
    expectEqual(recording.values.map(\.data), [nil, 5, nil, 1])
    recording.cancel()
  }

  @Test func aConditionIsAskedAgainForTheResultOfAHandleThatHasLeft() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).enabled { $0.data == nil }.onAbandonment(.finish)
    let observer = client.observer(of: query)
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(1))
    let refetch = simulation.task { try await observer.refetch() }
    simulation.advance(by: .milliseconds(1))
    recording.cancel()
    let result = try simulation.run { try await refetch.value }
    expectEqual(result.data, 1)
    expect(!result.isEnabled)
  }
}
