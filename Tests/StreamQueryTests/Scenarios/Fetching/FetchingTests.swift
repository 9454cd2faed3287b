@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

/// `fetch`, `ensure` and `prefetch`.
struct FetchingTests {
  let simulation = Simulation(seed: 17)
  let key = QueryKey<Int>("n")

  // Q03 X17 T39
  @Test func fetchReturnsFreshDataWithoutARequestAndStaleDataRefetched() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    let query = Query.scripted("n", fetch).staleTime(.seconds(10))
    let values = try simulation.run {
      let first = try await client.fetch(query)
      try await Scheduling.current.clock.sleep(for: .seconds(9))
      let second = try await client.fetch(query)
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return [first, second, try await client.fetch(query)]
    }
    expectEqual(values, [1, 1, 2])
  }

  // Q03 T08
  @Test func aFailureIsThrownAtOnceAndNotRetriedUnlessTheQuerySaysSo() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2)), .value(3))
    #expect(throws: Boom(1)) {
      try simulation.run { try await client.fetch(.scripted("n", fetch)) }
    }
    expectEqual(simulation.now, .zero)
    #expect(throws: Never.self) {
      let value = try simulation.run {
        try await client.fetch(Query.scripted("n", fetch).retry(1))
      }
      expectEqual(value, 3)
    }
    expectEqual(simulation.now, .seconds(1))
  }

  // Q04
  @Test func ensureReturnsCachedDataOfAnyAge() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(2, after: .milliseconds(10)))
    client.setData(1, for: key)
    simulation.advance(by: .seconds(100))
    let value = try simulation.run { try await client.ensure(.scripted("n", fetch)) }
    expectEqual(value, 1)
    expectEqual(fetch.callCount, 0)
    let again = try simulation.run {
      try await client.ensure(.scripted("n", fetch), revalidating: true)
    }
    expectEqual(again, 1)
    expectEqual(fetch.callCount, 1)
    simulation.advance(by: .milliseconds(10))
    expectEqual(client.data(for: key), 2)
    expect(simulation.isIdle)
  }

  // T93
  @Test func prefetchNeverThrowsAndLeavesTheFailureOnTheEntry() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()))
    simulation.run { await client.prefetch(.scripted("n", fetch)) }
    let result = client.result(for: key)
    expectEqual(ResultSummary(result), .failure(Boom()))
    expectEqual(result.failureCount, 1)
  }

  // Q05
  @Test func cancellingOneOfSeveralWaitersTouchesNobodyElse() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let ends = Notes<String>()
    let tasks = (0..<3).map { n in
      simulation.task { [clock = simulation.clock] in
        do {
          let value = try await client.fetch(.scripted("n", fetch))
          ends.add("\(n): \(value) at \(clock.now.offset)")
        } catch {
          ends.add("\(n): \(error is CancellationError) at \(clock.now.offset)")
        }
      }
    }
    simulation.advance(by: .milliseconds(5))
    expectEqual(client.diagnostics().map(\.waiterCount), [3])
    tasks[1].cancel()
    simulation.settle()
    expectEqual(ends.all, ["1: true at \(Duration.milliseconds(5))"])
    expectEqual(client.diagnostics().map(\.waiterCount), [2])
    simulation.advance(by: .milliseconds(5))
    expectEqual(
      Set(ends.all.dropFirst()),
      ["0: 1 at \(Duration.milliseconds(10))", "2: 1 at \(Duration.milliseconds(10))"]
    )
    expectEqual(fetch.calls.map(\.outcome), [.value])
  }

  // T32
  @Test func theLastWaiterTakesTheFetchWithIt() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let tasks = (0..<2).map { _ in
      simulation.task { _ = try? await client.fetch(.scripted("n", fetch)) }
    }
    simulation.advance(by: .milliseconds(5))
    for task in tasks { task.cancel() }
    simulation.settle()
    expectEqual(fetch.calls.map(\.outcome), [.cancelled])
    expectEqual(fetch.calls.map(\.end), [.milliseconds(5)])
    expectEqual(ResultSummary(client.result(for: key)), .pending())
    expect(simulation.isIdle)
  }

  // T32
  @Test func aStreamKeepsTheFetchOfACancelledWaiter() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    // Also a disabled observer wants it.
    let recording = simulation.record(client.stream(Query.scripted("n", fetch).enabled(false)))
    let task = simulation.task { _ = try? await client.fetch(.scripted("n", fetch)) }
    simulation.advance(by: .milliseconds(5))
    task.cancel()
    simulation.advance(by: .milliseconds(10))
    expectEqual(fetch.calls.map(\.outcome), [.value])
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
      ]
    )
  }

  @Test func aCallerThatIsCancelledBeforeItCallsLeavesNothingBehind() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let errors = Notes<Bool>()
    let task = simulation.task {
      do { try await client.fetch(.scripted("n", fetch)) } catch {
        errors.add(error is CancellationError)
      }
    }
    task.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(errors.all, [true])
    #expect(fetch.calls.allSatisfy { $0.outcome == .cancelled })
    expectNil(client.data(for: key))
    expect(simulation.isIdle)
  }

  // T33
  @Test func cancellingAFetchGivesItsCallersTheDataThatIsThereAgainOrCancellation() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    let ends = Notes<String>()
    func call() {
      simulation.task {
        do { ends.add("\(try await client.fetch(.scripted("n", fetch)))") } catch {
          ends.add("\(error is CancellationError)")
        }
      }
      simulation.settle()
    }
    call()
    client.cancel(key)
    simulation.settle()
    client.setData(5, for: key)
    simulation.advance(by: .seconds(1))
    call()
    client.cancel(key)
    simulation.settle()
    expectEqual(ends.all, ["true", "5"])
    expectEqual(fetch.calls.map(\.outcome), [.cancelled, .cancelled])
  }

  @Test func fetchWithoutAFetchIsATypedErrorAndItsEntryDoesNotStay() {
    let client = QueryClient(simulation: simulation)
    #expect(throws: QueryError.missingFetch(key: "[\"n\"]")) {
      try simulation.run { try await client.fetch(Query<Int>(key: "n")) }
    }
    simulation.advance(by: .hours(1))
    expectEmpty(client.diagnostics())
    expect(simulation.isIdle)
  }

  // T04
  @Test func fetchWithoutAFetchServesWhatIsFresh() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(4, for: key)
    let value = try simulation.run {
      try await client.fetch(Query<Int>(key: "n").staleTime(.seconds(1)))
    }
    expectEqual(value, 4)
  }

  // T03 O20
  @Test func aFetchIsToldItsContext() throws {
    enum Note: QueryMetaKey { static let defaultValue = "none" }
    let client = QueryClient(simulation: simulation)
    let contexts = Notes<String>()
    let query = Query<Int>("n", 7) { [weak client] (context: FetchContext) in
      contexts.add(
        "\(context.key) \(context.cause) \(context.attempt) \(context.meta[Note.self]) "
          + "\(context.client === client)"
      )
      if context.attempt < 2 { throw Boom() }
      return 1
    }
    let recording = simulation.record(client.stream(query.meta(Note.self, "hello")))
    simulation.advance(by: .seconds(10))
    expectEqual(recording.values.last?.data, 1)
    expectEqual(
      contexts.all,
      [
        "[\"n\", 7] subscribed 0 hello true", "[\"n\", 7] subscribed 1 hello true",
        "[\"n\", 7] subscribed 2 hello true",
      ]
    )
  }

  // T32
  @Test func abandonedFinishLetsTheAttemptLandButStartsNoFurtherOne() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).onAbandonment(.finish)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    recording.cancel()
    simulation.advance(by: .seconds(20))
    expectEqual(fetch.calls.map(\.outcome), [.failure])
    expectEqual(ResultSummary(client.result(for: key)), .failure(Boom()))

    // The next one lands, although nobody is there.
    let again = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    again.cancel()
    simulation.advance(by: .milliseconds(5))
    expectEqual(client.data(for: key), 2)
    expect(simulation.isIdle)
  }

  // T32
  @Test func abandonedFinishGoesOnWhenSomebodyComesBack() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .value(2, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).onAbandonment(.finish)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(2))
    recording.cancel()
    simulation.advance(by: .milliseconds(2))
    let again = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(20))
    #expect(
      again.timeline == [
        at(4, .pending(isFetching: true)), at(10, .pending(isFetching: true)),
        at(1_020, .success(2)),
      ]
    )
    expectEqual(again.values.map(\.failureCount), [0, 1, 0])
  }

  // T32 3.1.l
  @Test(arguments: [false, true])
  func aLingeringFetchSurvivesAQuickReturn(asObserverOption: Bool) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(100)))
    var query = Query.scripted("n", fetch)
    var options = ObserverOptions()
    if asObserverOption {
      options.linger = .milliseconds(30)
    } else {
      query = query.onAbandonment(.linger(.milliseconds(30)))
    }
    let first = simulation.record(client.stream(query, options: options))
    simulation.advance(by: .milliseconds(10))
    first.cancel()
    simulation.advance(by: .milliseconds(29))
    expectEqual(fetch.runningCount, 1)
    let second = simulation.record(client.stream(query, options: options))
    simulation.advance(by: .milliseconds(61))
    #expect(second.timeline == [at(39, .pending(isFetching: true)), at(100, .success(1))])
    expectEqual(fetch.callCount, 1)
  }

  // T32
  @Test(arguments: [nil, .cancel, .finish] as [AbandonmentPolicy?], [false, true])
  func anObserverThatLeavesSaysHowLongItsFetchLingers(
    _ policy: AbandonmentPolicy?,
    ofKey: Bool
  ) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(100)))
    // A function that is evaluated again changes nothing that was said.
    var query = Query.scripted("n", fetch).enabled { _ in true }
    if let policy, ofKey {
      client.setDefaults(QueryOptions(onAbandonment: policy), for: "n")
    } else if let policy {
      query = query.onAbandonment(policy)
    }
    do {
      let observer = client.observer(of: query)
      simulation.advance(by: .milliseconds(10))
      observer.linger(.milliseconds(30))
      simulation.advance(by: .milliseconds(10))
      client.setData(0, for: query)
      simulation.settle()
    }
    var running: [Int] = []
    for step in [0, 29, 2] {
      simulation.advance(by: .milliseconds(step))
      running.append(fetch.runningCount)
    }
    switch policy {
    case nil: expectEqual(running, [1, 1, 0])
    case .finish: expectEqual(running, [1, 1, 1])
    default: expectEqual(running, [0, 0, 0])
    }
  }

  // T32
  @Test func anObserverThatStaysTakesBackWhatItSaidAndItsOwnOptionsGoFirst() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    func leave(_ options: ObserverOptions?, _ act: (QueryObserver<Int>) -> Void) -> [Int] {
      let query = Query.scripted("n", fetch)
      do {
        let observer = client.observer(of: query, options: options)
        simulation.settle()
        act(observer)
      }
      var running: [Int] = []
      for step in [0, 25, 10] {
        simulation.advance(by: .milliseconds(step))
        running.append(fetch.runningCount)
      }
      return running
    }
    expectEqual(leave(nil) { $0.linger(.milliseconds(30)) }, [1, 1, 0])
    let back = leave(nil) {
      $0.linger(.milliseconds(30))
      $0.update(query: $0.query)
    }
    expectEqual(back, [0, 0, 0])
    let own = ObserverOptions(linger: .milliseconds(20))
    expectEqual(leave(own) { $0.linger(.milliseconds(30)) }, [1, 0, 0])
    expectEqual(leave(nil) { $0.linger(.zero) }, [0, 0, 0])
  }

  // T32
  @Test func aLingeringFetchIsCancelledWhenNobodyReturns() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(100)))
    let query = Query.scripted("n", fetch).onAbandonment(.linger(.milliseconds(30)))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(10))
    recording.cancel()
    simulation.advance(by: .milliseconds(90))
    expectEqual(fetch.calls.map(\.end), [.milliseconds(40)])
    expectEqual(fetch.calls.map(\.outcome), [.cancelled])
    expect(simulation.isIdle)
  }

  // T32
  @Test func aCancelledRefreshRestoresWhatWasThere() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()), .never)
    let query = Query.scripted("n", fetch).retry(.never)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.task { await client.invalidate(query) }
    simulation.settle()
    client.cancel(query)
    simulation.settle()
    #expect(
      recording.summaries == [
        .pending(isFetching: true), .failure(Boom()), .pending(isFetching: true),
        .failure(Boom()),
      ]
    )
    expectEqual(recording.values.map(\.failureCount), [0, 1, 0, 1])
    expectEqual(
      recording.values.map(\.cause),
      [.subscribed, .subscribed, .invalidated, .subscribed]
    )
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func aFetchThatIgnoresCancellationCanWriteNothingAndFreesItsKeyAtOnce() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .seconds(100), ignoringCancellation: true),
      .value(2, after: .milliseconds(10))
    )
    let first = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(5))
    first.cancel()
    simulation.settle()
    expectEqual(client.fetchingCount(), 0)
    let second = simulation.record(client.stream(Query.scripted("n", fetch).staleTime(.infinite)))
    simulation.advance(by: .seconds(200))
    #expect(second.timeline == [at(5, .pending(isFetching: true)), at(15, .success(2))])
    expectEqual(fetch.runningCount, 0)
  }

  @Test func aFetchThatNeverReturnsHoldsNobodyUp() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.suspended(ignoringCancellation: true))
    let waiter = simulation.task { try? await client.fetch(.scripted("n", fetch)) }
    simulation.settle()
    waiter.cancel()
    simulation.settle()
    expect(simulation.isIdle)
    client.remove(key)
    expectEmpty(client.diagnostics())
    client.setData(3, for: key)
    fetch.release(returning: 1)
    simulation.settle()
    expectEqual(client.data(for: key), 3)
  }
}
