import StreamQuery
import StreamQueryTesting
import Testing

/// Retries, network modes, pausing and resuming.
struct RetryTests {
  let simulation = Simulation(seed: 41)
  let key = QueryKey<Int>("n")

  // O11 T08 T27
  @Test func retriesBackOffAndEachFailureIsAnElement() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2)), .value(3))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .minutes(1))
    expectEqual(fetch.calls.map(\.start), [.zero, .seconds(1), .seconds(3)])
    expectEqual(
      recording.timeline.suffix(3),
      [
        at(0, .pending(isFetching: true)), at(1_000, .pending(isFetching: true)),
        at(3_000, .success(3)),
      ]
    )
    expectEqual(recording.values.suffix(3).map(\.failureCount), [1, 2, 0])
    expectEqual(
      recording.values.suffix(3).map { $0.failureReason as? Boom },
      [Boom(1), Boom(2), nil]
    )
    expectEqual(recording.values.map(\.errorUpdateCount).last, 0)
  }

  // O11 T38 X13
  @Test func theLastFailureIsAnErrorThatKeepsDataAndMarksTheEntry() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(7)))
    let query = Query.scripted("n", fetch).retry(1).staleTime(.hours(1))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.task { await client.refetch("n") }
    simulation.advance(by: .minutes(1))
    expectEqual(
      recording.timeline.suffix(2),
      [
        at(0, .success(1, isFetching: true)), at(1_000, .failure(Boom(7), lastGood: 1)),
      ]
    )
    expectEqual(recording.values.last?.isStale, true)
    expectEqual(recording.values.last?.isRefetchError, true)
    expectEqual(recording.values.last?.failureCount, 2)
    expectEqual(client.diagnostics().map(\.isInvalidated), [true])
  }

  @Test("S06: a success clears the error, and leaves when and how often a fetch failed")
  func errorUpdatedAtAfterASuccess() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .value(1, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).retry(.never)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    let failed = recording.values.last
    expect(failed?.errorUpdatedAt != nil)
    simulation.run { await client.refetch(query) }
    let last = recording.values.last
    #expect(recording.timeline.last == at(60, .success(1)))
    expectNil(last?.error)
    expectNil(last?.failureReason)
    expectEqual(last?.failureCount, 0)
    expectEqual(last?.errorUpdatedAt, failed?.errorUpdatedAt)
    expectEqual(last?.errorUpdateCount, 1)
    // So does a write; a reset begins anew.
    client.setData(2, for: query)
    simulation.settle()
    expectEqual(recording.values.last?.errorUpdatedAt, failed?.errorUpdatedAt)
    simulation.task { await client.reset(query) }
    simulation.settle()
    expectNil(recording.values.last?.errorUpdatedAt)
    expectEqual(recording.values.last?.errorUpdateCount, 0)
  }

  // X13
  @Test func failuresNeedNotInvalidate() {
    let client = QueryClient(simulation: simulation) { $0.failureInvalidates = false }
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom()))
    let query = Query.scripted("n", fetch).retry(.never).staleTime(.hours(1))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.run { await client.refetch("n") }
    #expect(recording.summaries.last == .failure(Boom(), lastGood: 1))
    expectEqual(recording.values.last?.isStale, false)
  }

  /// The waits between the attempts of a query that always fails.
  private func waits(
    of query: (ScriptedFetch<Int>) -> Query<Int>,
    _ start: (Query<Int>) -> ResultRecording<QueryResult<Int>>?
  ) -> [Int] {
    let fetch = ScriptedFetch<Int>(.failure(Boom(), after: .milliseconds(10)))
    let recording = start(query(fetch))
    simulation.advance(by: .minutes(5))
    recording?.cancel()
    return zip(fetch.calls.dropFirst(), fetch.calls).map {
      Int(($0.start - ($1.end ?? .zero)) / .milliseconds(1))
    }
  }

  // O11 T08 T53
  @Test func howOftenAndHowLongAreLayersOfTheirOwn() {
    let client = QueryClient(simulation: simulation)
    func observed(_ key: String, _ change: (Query<Int>) -> Query<Int>) -> [Int] {
      waits {
        change(.scripted(key, $0))
      } _: {
        simulation.record(client.stream($0))
      }
    }
    // Nobody says how often: three times.
    expectEqual(
      observed("a") { $0.retry(.backoff(.constant(.seconds(2)))) },
      [2_000, 2_000, 2_000]
    )
    client.setDefaults(
      QueryDefaults(options: QueryOptions(retry: .backoff(.constant(.seconds(5)))))
    )
    expectEqual(observed("b") { $0 }, [5_000, 5_000, 5_000])
    expectEqual(observed("c") { $0.retry(1) }, [5_000])
    expectEqual(observed("d") { $0.retry(2) { .seconds($0) } }, [0, 1_000])
    expectEqual(observed("e") { $0.retry(.times(2).backoff(.standard)) }, [1_000, 2_000])
    client.setDefaults(QueryOptions(retry: 2), for: "n")
    expectEqual(observed("n") { $0 }, [5_000, 5_000])
    expectEqual(observed("n") { $0.retry(.backoff(.constant(.seconds(1)))) }, [1_000, 1_000])
    expectEqual(observed("n") { $0.retry(.never) }, [])
  }

  // O11 T39
  @Test func imperativeCallsRetryAsOftenAsTheyAreToldAndWaitAsLong() {
    let client = QueryClient(simulation: simulation)
    func awaited(_ change: (Query<Int>) -> Query<Int>) -> [Int] {
      waits {
        change(.scripted("n", $0))
      } _: { query in
        simulation.task { [client] in await client.prefetch(query) }
        return nil
      }
    }
    let slow = RetryPolicy.backoff(.constant(.seconds(2)))
    // How long to wait does not say that they retry.
    expectEqual(awaited { $0.retry(slow) }, [])
    client.setDefaults(QueryDefaults(imperativeRetry: 2))
    expectEqual(awaited { $0 }, [1_000, 2_000])
    expectEqual(awaited { $0.retry(slow) }, [2_000, 2_000])
    expectEqual(awaited { $0.retry(1) }, [1_000])
  }

  // O11 T65
  @Test func mutationsWaitAsTheirDefaultsSay() {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    client.setMutationDefaults(MutationOptions(retry: .backoff(.constant(.seconds(3)))), for: [])
    func starts(_ change: (Mutation<Int, Int>) -> Mutation<Int, Int>) -> [Duration] {
      let starts = Notes<Duration>()
      let before = simulation.now
      let failing = Mutation("m") { (_: Int) -> Int in
        starts.add(clock.now.offset - before)
        throw Boom()
      }
      let changed = change(failing)
      simulation.task { [client] in _ = try? await client.mutate(changed, with: 1) }
      simulation.advance(by: .minutes(1))
      return starts.all
    }
    expectEqual(starts { $0 }, [.zero])
    expectEqual(starts { $0.retry(2) }, [.zero, .seconds(3), .seconds(6)])
    expectEqual(starts { $0.retry(.times(1).backoff(.standard)) }, [.zero, .seconds(1)])
    client.setMutationDefaults(MutationOptions(retry: 1), for: "m")
    expectEqual(starts { $0 }, [.zero, .seconds(3)])
  }

  // O11
  @Test func theStandardBackoffDoublesToThirtySeconds() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()))
    let recording = simulation.record(client.stream(Query.scripted("n", fetch).retry(8)))
    simulation.advance(by: .hours(1))
    let starts = fetch.calls.map(\.start)
    let waits = zip(starts.dropFirst(), starts).map { $0 - $1 }
    expectEqual(waits, [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    expectEqual(recording.values.last?.failureCount, 9)
  }

  // O11 O12
  @Test func predicatesAndDelaysAreAskedWithTheFailuresBeforeAndTheError() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2)), .failure(Boom(99)))
    let asked = Notes<String>()
    let policy = RetryPolicy.while { failures, error in
      asked.add("\(failures) \(error)")
      return (error as? Boom) != Boom(99)
    }.backoff(.custom { failures, error in .milliseconds((failures + 1) * 10) })
    let recording = simulation.record(client.stream(Query.scripted("n", fetch).retry(policy)))
    simulation.advance(by: .minutes(1))
    expectEqual(asked.all, ["0 boom 1", "1 boom 2", "2 boom 99"])
    expectEqual(fetch.calls.map(\.start), [.zero, .milliseconds(10), .milliseconds(30)])
    #expect(recording.summaries.last == .failure(Boom(99)))
  }

  // O11
  @Test func jitterComesFromTheClientsGenerator() {
    func waits(seed: UInt64) -> [Duration] {
      let simulation = Simulation(seed: seed)
      let client = QueryClient(simulation: simulation)
      let fetch = ScriptedFetch<Int>(.failure(Boom()))
      let policy = RetryPolicy.times(4).backoff(
        .exponential(first: .seconds(8), factor: 1, jitter: 0.5)
      )
      let recording = simulation.record(client.stream(Query.scripted("n", fetch).retry(policy)))
      simulation.advance(by: .minutes(5))
      recording.cancel()
      let starts = fetch.calls.map(\.start)
      return zip(starts.dropFirst(), starts).map { $0 - $1 }
    }
    let first = waits(seed: 5)
    expectEqual(first, waits(seed: 5))
    expect(first != waits(seed: 6))
    expectEqual(first.count, 4)
    #expect(first.allSatisfy { $0 >= .seconds(4) && $0 <= .seconds(8) })
    expectEqual(Set(first).count, 4)
  }

  // T09
  @Test func aFailedQueryWithoutDataIsRetriedOnSubscribeUnlessToldNot() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()))
    let query = Query.scripted("n", fetch).retry(.never)
    simulation.run { await client.prefetch(query) }
    let quiet = simulation.record(client.stream(query.retryOnSubscribe(false)))
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    #expect(quiet.summaries == [.failure(Boom())])
    let eager = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(fetch.callCount, 2)
    #expect(eager.summaries.last == .failure(Boom()))
  }

  @Test("T09: a function of the error decides whether a subscription retries a failure")
  func retryOnSubscribeByError() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2)), .value(3))
    let asked = Notes<String>()
    let query = Query.scripted("n", fetch).retry(.never)
      .retryOnSubscribe { error in
        asked.add("\(error)")
        return error as? Boom == Boom(1)
      }
    let first = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(asked.all, [])
    let second = simulation.record(client.stream(query))
    simulation.settle()
    let third = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(Array(asked.all), ["boom 1", "boom 2"])
    expectEqual(fetch.callCount, 2)
    expectEqual(ResultSummary(client.result(for: query)), .failure(Boom(2)))
    #expect(third.summaries == [.failure(Boom(2))])
    #expect(first.summaries.last == .failure(Boom(2)))
    #expect(second.summaries.last == .failure(Boom(2)))
    // The answer of an observer is stronger.
    var options = ObserverOptions()
    options.retryOnSubscribe = true
    let fourth = simulation.record(client.stream(query, options: options))
    simulation.settle()
    #expect(fourth.summaries.last == .success(3))
  }

  private func offlineClient(_ online: ManualSignal<Bool>) -> QueryClient {
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    simulation.settle()
    return client
  }

  // O19 T10 T34
  @Test func onlineModePausesBeforeTheStartAndGoesOnWithTheNetwork() {
    let online = ManualSignal(false)
    let client = offlineClient(online)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .seconds(1))
    online.send(true)
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .pending(.paused)), at(1_000, .pending(isFetching: true)), at(1_010, .success(1)),
      ]
    )
    expectEqual(fetch.callCount, 1)
  }

  // T10
  @Test func alwaysModeIgnoresTheNetwork() {
    let online = ManualSignal(false)
    let client = offlineClient(online)
    let fetch = ScriptedFetch<Int>(.failure(Boom()), .value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).networkMode(.always))
    )
    simulation.advance(by: .seconds(2))
    #expect(recording.summaries.last == .success(1))
    online.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 2)
  }

  // T10
  @Test func offlineFirstRunsOnceAndThenWaitsForTheNetwork() {
    let online = ManualSignal(false)
    let client = offlineClient(online)
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .value(1, after: .milliseconds(10))
    )
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).networkMode(.offlineFirst))
    )
    simulation.advance(by: .seconds(10))
    online.send(true)
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .pending(isFetching: true)),
        at(1_010, .pending(.paused)), at(10_000, .pending(isFetching: true)),
        at(10_010, .success(1)),
      ]
    )
  }

  // T34
  @Test func retriesWaitForTheAppAndTheRunningAttemptDoesNot() {
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { active } }
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .value(1, after: .milliseconds(10))
    )
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(5))
    active.send(false)
    simulation.advance(by: .seconds(10))
    active.send(true)
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .pending(isFetching: true)),
        at(1_010, .pending(.paused)), at(10_005, .pending(isFetching: true)),
        at(10_015, .success(1)),
      ]
    )
  }

  @Test func retriesThatACallerAwaitsDoNotWaitForTheApp() {
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { active } }
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .failure(Boom(), after: .milliseconds(10)),
      .value(1, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch)
      .retry(RetryPolicy.times(5).backoff(.constant(.seconds(1))))
    let recording = simulation.record(client.stream(query))
    let impatient = simulation.task { try? await client.fetch(query) }
    simulation.advance(by: .milliseconds(5))
    active.send(false)
    simulation.advance(by: .milliseconds(1_010))
    expectEqual(fetch.callCount, 2)
    // Without a caller, the fetch is its observers' again.
    impatient.cancel()
    simulation.advance(by: .seconds(5))
    expectEqual(recording.values.last?.isPaused, true)
    let value = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .milliseconds(10))
    expectEqual(fetch.callCount, 3)
    expectEqual(simulation.run { try? await value.value }, 1)
    expectEqual(recording.values.last?.data, 1)
    recording.cancel()
  }

  @Test func theFetchOfABulkCallWaitsForTheAppAndThatOfARefreshDoesNot() {
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { active } }
    let fetch = ScriptedFetch<Int>(.value(0), .failure(Boom()), .value(1))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    active.send(false)
    simulation.settle()
    let refetch = simulation.task { await client.refetch(.all) }
    simulation.advance(by: .seconds(10))
    expectEqual(recording.values.last?.isPaused, true)
    _ = simulation.run { await client.refetchStale(within: .seconds(10)) }
    expectEqual(recording.values.last?.data, 1)
    simulation.run { await refetch.value }
    recording.cancel()
  }

  @Test func runsThatACallerResumesDoNotWaitForTheApp() {
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { active } }
    let work = ScriptedFetch<Int>(.failure(Boom()), .value(1))
    let save = Mutation("save") { (_: Int) in try await work() }
      .retry(RetryPolicy.times(3).backoff(.constant(.seconds(1))))
    let observer = client.observer(of: save)
    observer.start(with: 1)
    active.send(false)
    simulation.advance(by: .seconds(5))
    expect(observer.run.isPaused)
    simulation.run { await client.resumeMutations() }
    expectEqual(observer.run.output, 1)
  }

  @Test func aCallerBringsItsFunctionToAFetchThatHasNone() throws {
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { active } }
    client.setData(0, for: "n" as QueryKey<Int>)
    active.send(false)
    simulation.settle()
    // It fails for want of a function, and its retries wait for the app.
    client.markInvalidated(.all, refetch: .all)
    simulation.advance(by: .seconds(5))
    expectEqual(client.diagnostics().map(\.fetchStatus), [.paused])
    let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)))
    try expectEqual(simulation.run { try await client.fetch(.scripted("n", fetch)) }, 1)
    expectEqual(fetch.callCount, 1)
  }

  @Test func aRefetchThatAHandleWatchesWaitsForTheApp() {
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { active } }
    let fetch = ScriptedFetch<Int>(
      .value(0),
      .failure(Boom(), after: .milliseconds(10)),
      .value(1)
    )
    let observer = client.observer(of: .scripted("n", fetch))
    simulation.settle()
    let refetch = simulation.task { _ = try? await observer.refetch() }
    active.send(false)
    simulation.advance(by: .seconds(10))
    expect(observer.result.isPaused)
    active.send(true)
    simulation.run { await refetch.value }
    expectEqual(observer.result.data, 1)
  }

  // T34
  @Test func aPausedFirstLoadIsDroppedWithItsLastConsumer() {
    let online = ManualSignal(false)
    let client = offlineClient(online)
    let fetch = ScriptedFetch<Int>(.value(1))
    for policy in [AbandonmentPolicy.cancel, .finish] {
      let recording = simulation.record(
        client.stream(Query.scripted("n", fetch).onAbandonment(policy))
      )
      simulation.settle()
      recording.cancel()
      simulation.settle()
      expectEqual(client.diagnostics().map(\.fetchStatus), [.idle])
    }
    online.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 0)
    expect(simulation.isIdle)
  }

  // T34
  @Test func aPausedRefreshOfDataMayFinishUnwatched() {
    let online = ManualSignal(false)
    let client = offlineClient(online)
    client.setData(0, for: key)
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).onAbandonment(.finish))
    )
    simulation.settle()
    recording.cancel()
    simulation.settle()
    online.send(true)
    simulation.settle()
    expectEqual(client.data(for: key), 1)
    expect(simulation.isIdle)
  }

  // T33
  @Test func aWaitingRetryIsCancelledAndUndone() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(500))
    client.cancel(key)
    simulation.advance(by: .minutes(1))
    #expect(recording.summaries.last == .pending())
    expectEqual(recording.values.last?.failureCount, 0)
    expectNil(recording.values.last?.failureReason)
    expectEqual(fetch.callCount, 1)
  }

  @Test func theHalvesOfAPolicyMayBeSaidOneAfterTheOther() {
    let client = QueryClient(simulation: simulation)
    let policies: [(Query<Int>) -> Query<Int>] = [
      { $0.retry(2).retry(.backoff(.constant(.seconds(5)))) },
      { $0.retry(.backoff(.constant(.seconds(5)))).retry(2) },
      { $0.retry(.times(9).backoff(.constant(.seconds(5)))).retry(2) },
    ]
    for (number, policy) in policies.enumerated() {
      let fetch = ScriptedFetch<Int>(.failure(Boom()))
      let start = simulation.now
      let recording = simulation.record(client.stream(policy(.scripted("n\(number)", fetch))))
      simulation.advance(by: .minutes(1))
      expectEqual(fetch.calls.map { $0.start - start }, [.zero, .seconds(5), .seconds(10)])
      recording.cancel()
    }
  }
}
