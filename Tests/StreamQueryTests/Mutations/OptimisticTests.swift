import StreamQuery
import StreamQueryTesting
import Testing

struct OptimisticTests {
  let simulation = Simulation(seed: 11)

  private static let list = QueryKey<[Int]>("list")

  /// Appends its input to the list, and to the server after a while.
  private func add(
    _ milliseconds: Int = 10,
    fails: Bool = false,
    to server: Dial<[Int]>? = nil
  ) -> Mutation<Int, Int> {
    Mutation("add") { input in
      try await Scheduling.current.clock.sleep(for: .milliseconds(milliseconds))
      if fails { throw Boom(input) }
      server?.with { $0.append(input) }
      return input
    }
    .optimistic { input, changes in changes.update(Self.list) { $0?.append(input) } }
  }

  // T72 features.md 4.3
  @Test func streamsAndReadsShowTheChangeAtOnceAndAFailureTakesItAway() {
    let client = QueryClient(simulation: simulation)
    client.setData([1], for: Self.list)
    let recording = simulation.record(client.stream(Query(key: Self.list)))
    simulation.settle()
    simulation.start(add(fails: true), with: 2, on: client)
    expectEqual(client.data(for: Self.list), [1, 2])
    expectEqual(client.result(for: Self.list).data, [1, 2])
    expect(client.result(for: Self.list).isOptimistic)
    expectEqual(client.entries(of: [Int].self).map(\.data), [[1, 2]])
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: Self.list), [1])
    expect(!client.result(for: Self.list).isOptimistic)
    #expect(recording.summaries == [.success([1]), .success([1, 2]), .success([1])])
  }

  // T72
  @Test func twoRunsOfOneKeyComposeAndRollBackSinglyInAnyOrder() {
    for (first, second) in [(10, 20), (20, 10)] {
      for (firstFails, secondFails) in [(true, false), (false, true), (true, true)] {
        let client = QueryClient(simulation: simulation)
        client.setData([0], for: Self.list)
        let write = add(first, fails: firstFails)
          .onSuccess { output, context in
            context.client.updateData(for: Self.list) { $0?.append(output) }
          }
        let other = add(second, fails: secondFails)
          .onSuccess { output, context in
            context.client.updateData(for: Self.list) { $0?.append(output) }
          }
        simulation.start(write, with: 1, on: client)
        simulation.start(other, with: 2, on: client)
        expectEqual(client.data(for: Self.list), [0, 1, 2])
        simulation.advance(by: .milliseconds(15))
        let isFirstOver = first < second
        let left = isFirstOver ? (firstFails ? [0, 2] : [0, 1, 2]) : secondFails ? [0, 1] : nil
        // The second one's write lies below the first one's layer.
        expectEqual(client.data(for: Self.list), left ?? [0, 2, 1])
        simulation.advance(by: .seconds(1))
        let expected = [0] + (firstFails ? [] : [1]) + (secondFails ? [] : [2])
        expectEqual(client.data(for: Self.list), expected)
        expect(!client.result(for: Self.list).isOptimistic)
      }
    }
  }

  // T72
  @Test func fetchesAndWritesLandBelowTheLayers() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<[Int]>(.value([1], after: .milliseconds(5)), .value([1, 5]))
    let query = Query(key: Self.list, fetch: fetch)
    let recording = simulation.record(client.stream(query))
    simulation.start(add(100), with: 9, on: client)
    // Nothing is there to append to, so nothing is shown.
    #expect(recording.summaries.last == .pending(isFetching: true))
    simulation.advance(by: .milliseconds(10))
    expectEqual(client.data(for: Self.list), [1, 9])
    // Updates work on what lies below, and everybody sees both.
    client.updateData(for: Self.list) { list in
      expectEqual(list, [1])
      list = [3]
    }
    expectEqual(client.data(for: Self.list), [3, 9])
    client.updateData(matching: .all, of: [Int].self) { _, list in list?.append(4) }
    expectEqual(client.data(for: Self.list), [3, 4, 9])
    try expectEqual(simulation.run { try await client.ensure(query) }, [3, 4, 9])
    simulation.run { await client.refetch(query) }
    expectEqual(client.data(for: Self.list), [1, 5, 9])
    let shown = recording.values.compactMap(\.data)
    #expect(shown.allSatisfy { $0.last == 9 }, "no element without the layer")
  }

  // Contract law 8
  @Test func aLayerMayAskTheClientWhenAWriteLandsBelowIt() {
    let client = QueryClient(simulation: simulation)
    let bonus: QueryKey<Int> = "bonus"
    client.setData(7, for: bonus)
    client.setData([1], for: Self.list)
    let recording = simulation.record(client.stream(Query(key: Self.list)))
    simulation.settle()
    let mutation = Mutation<Int, Int>("add") { input in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return input
    }
    .optimistic { input, changes in
      changes.update(Self.list) { $0?.append(input + (client.data(for: bonus) ?? 0)) }
    }
    simulation.start(mutation, with: 2, on: client)
    simulation.settle()
    client.setData([3], for: Self.list)
    simulation.settle()
    #expect(recording.summaries == [.success([1]), .success([1, 9]), .success([3, 9])])
  }

  // Contract law 3
  @Test(arguments: [[1], nil], [true, false])
  func aLayerThatGoesBeforeAnybodyLooksIsNoNews(data: [Int]?, writes: Bool) {
    for seed in 0..<24 {
      let simulation = Simulation(seed: UInt64(seed))
      let client = QueryClient(simulation: simulation)
      if let data { client.setData(data, for: Self.list) }
      let recording = simulation.record(client.stream(Query(key: Self.list)))
      simulation.settle()
      let mutation = Mutation<Int, Int>("add") { input in throw Boom(input) }
        .optimistic { input, changes in
          changes.update(Self.list) { if writes { $0?.append(input) } }
        }
      simulation.start(mutation, with: 2, on: client)
      simulation.settle()
      let seen = recording.values.map { Seen(data: $0.data, isOptimistic: $0.isOptimistic) }
      #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed)")
      expectEqual(seen.last, Seen(data: data, isOptimistic: false))
    }
  }

  private struct Seen: Equatable {
    var data: [Int]?
    var isOptimistic: Bool
  }

  // Contract section 5: layers
  @Test func afterASuccessTheLayerStaysUntilTheRefetchHasLanded() {
    let client = QueryClient(simulation: simulation)
    let server = Dial([1])
    let query = Query(key: Self.list) {
      let answer = server.value
      try await Scheduling.current.clock.sleep(for: .milliseconds(30))
      return answer
    }.staleTime(.infinite)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    let mutation = add(to: server)
      .onSuccess { _, context in await context.client.invalidate(query) }
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .seconds(1))
    #expect(
      recording.summaries == [
        .pending(isFetching: true), .success([1]), .success([1, 2]),
        .success([1, 2], isFetching: true), .success([1, 2]),
      ]
    )
    expect(!client.result(for: query).isOptimistic)
  }

  // Contract section 5: layers
  @Test func theLayerOutlivesItsRunUntilTheRefetchThatItCausedHasSettled() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<[Int]>(.value([1]), .failure(Boom(), after: .milliseconds(30)))
    let query = Query(key: Self.list, fetch: fetch).retry(.never)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let mutation = add().onSuccess { _, context in
      // Nobody waits for it.
      _ = Task(executorPreference: context.client.scheduling.executor) {
        await context.client.invalidate(Self.list)
      }
      try await Scheduling.current.clock.sleep(for: .milliseconds(1))
    }
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .milliseconds(20))
    expectEqual(client.mutatingCount(), 0)
    expectEqual(client.data(for: Self.list), [1, 2])
    simulation.advance(by: .seconds(1))
    // It failed: there is nothing that the layer could wait for.
    #expect(recording.summaries.last == .failure(Boom(), lastGood: [1]))
  }

  // Contract section 5: layers
  @Test func aWriteOfTheRunsCallbacksReplacesItsLayerInOneTurn() {
    let client = QueryClient(simulation: simulation)
    client.setData([1], for: Self.list)
    let recording = simulation.record(client.stream(Query(key: Self.list)))
    simulation.settle()
    let mutation = add().onSuccess { output, context in
      context.client.updateData(for: Self.list) { $0?.append(output * 10) }
      expectEqual(context.client.data(for: Self.list), [1, 20])
      try await Scheduling.current.clock.sleep(for: .milliseconds(5))
    }
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == [.success([1]), .success([1, 2]), .success([1, 20])])
  }

  // Contract section 5: layers
  @Test func withoutWriteOrFetchTheLayerGoesWhenOnSettledReturned() {
    let client = QueryClient(simulation: simulation)
    client.setData([1], for: Self.list)
    let mutation = add().onSettled { _, _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(30))
    }
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .milliseconds(39))
    expectEqual(client.data(for: Self.list), [1, 2])
    // Somebody else's write is no replacement.
    client.setData([1, 1], for: Self.list)
    expectEqual(client.data(for: Self.list), [1, 1, 2])
    simulation.advance(by: .milliseconds(1))
    expectEqual(client.data(for: Self.list), [1, 1])
  }

  // Law 7
  @Test func aFetchFromBeforeTheSuccessDoesNotLandButIsRestarted() {
    let client = QueryClient(simulation: simulation)
    let server = Dial([1])
    let query = Query(key: Self.list) {
      let answer = server.value
      try await Scheduling.current.clock.sleep(for: .milliseconds(30))
      return answer
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(40))
    _ = simulation.task { await client.refetch(query) }
    simulation.settle()
    // Succeeds at 50, while the fetch that was begun at 40 runs.
    simulation.start(add(to: server), with: 2, on: client)
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(30, .success([1])),
        at(40, .success([1], isFetching: true)), at(40, .success([1, 2], isFetching: true)),
        at(80, .success([1, 2])),
      ]
    )
  }

  // Law 7
  @Test func anAnswerFromBeforeTheSuccessThatComesDuringTheCallbacksIsAskedForAnew() throws {
    let client = QueryClient(simulation: simulation)
    let server = Dial([1])
    let calls = Notes<Int>()
    let query = Query(key: Self.list) { [clock = simulation.clock] in
      calls.add(clock.now.offset.milliseconds)
      let answer = server.value
      try await Scheduling.current.clock.sleep(for: .milliseconds(30))
      return answer
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(25))
    let mutation = add(1, to: server)
      .onSettled { _, _ in try await Scheduling.current.clock.sleep(for: .milliseconds(20)) }
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(calls.all, [0, 30])
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)),
        // Something is laid over nothing: `isOptimistic` is all that differs.
        at(25, .pending(isFetching: true)),
        at(60, .success([1, 2])),
      ]
    )
  }

  // T72
  @Test func aCancelledRunTakesItsLayerAway() {
    let client = QueryClient(simulation: simulation)
    client.setData([1], for: Self.list)
    let errors = Notes<String>()
    let mutation = add(1_000).onError { error, context in
      errors.add("\(error is CancellationError) \(context.client.data(for: Self.list) ?? [])")
    }
    let caller = simulation.start(mutation, with: 2, on: client)
    expectEqual(client.data(for: Self.list), [1, 2])
    caller.cancel()
    simulation.settle()
    expectEqual(client.data(for: Self.list), [1])
    expectEqual(errors.all, ["true [1]"])
    expectEmpty(client.mutations())
    expect(simulation.isIdle)
  }

  // Contract section 5: layers
  @Test func removingTakesLayersAwayAndAResetKeepsThem() {
    let client = QueryClient(simulation: simulation)
    let query = Query(key: Self.list) { [7] }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.start(add(1_000), with: 2, on: client)
    simulation.run { await client.reset(query) }
    expectEqual(client.data(for: Self.list), [7, 2])
    client.remove(query)
    expectNil(client.data(for: Self.list))
    simulation.run { await client.refetch(query) }
    simulation.start(add(1_000), with: 3, on: client)
    expect(client.data(for: Self.list)?.contains(2) != true)
    client.clear()
    simulation.settle()
    expectNil(client.data(for: Self.list))
    expectEmpty(client.mutations())
    withExtendedLifetime(recording) {}
  }

  // T72
  @Test func aLayerMayShowDataWhereNoneIsAndHideDataThatIs() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("count")
    let mutation = Mutation("set") { (_: Int?) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
    }
    .optimistic { input, changes in changes.update(key) { $0 = input } }
    let query = Query(key: key).placeholder(-1)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.start(mutation, with: 5, on: client)
    simulation.advance(by: .milliseconds(10))
    client.setData(1, for: key)
    simulation.settle()
    simulation.start(mutation, with: nil, on: client)
    simulation.advance(by: .milliseconds(10))
    #expect(
      recording.summaries == [
        .placeholder(-1), .success(5), .placeholder(-1), .success(1), .pending(), .success(1),
      ]
    )
  }

  // T72
  @Test func anEntryIsKeptWhileALayerLiesOverIt() {
    let client = QueryClient(simulation: simulation)
    simulation.run {
      await client.prefetch(Query(key: Self.list) { [1] }.gcTime(.milliseconds(50)))
    }
    simulation.start(add(1_000), with: 2, on: client)
    simulation.advance(by: .milliseconds(900))
    expectEqual(client.data(for: Self.list), [1, 2])
    simulation.advance(by: .milliseconds(149))
    expectEqual(client.data(for: Self.list), [1])
    simulation.advance(by: .milliseconds(1))
    expectNil(client.data(for: Self.list))
  }

  // T72 I09
  @Test func pagesShowLayersAndTheirParametersDoNot() throws {
    let client = QueryClient(simulation: simulation)
    let feed = InfiniteQuery<[Int], Int>("feed", initialPageParam: 0) { page, _ in
      [page * 10]
    } nextPageParam: { context in
      (context.lastPage.last ?? 0) / 10 < 2 ? (context.lastPage.last ?? 0) / 10 + 1 : nil
    }
    let recording = simulation.record(client.stream(feed))
    simulation.settle()
    let like = Mutation("like") { (input: Int) in
      try await Scheduling.current.clock.sleep(for: .seconds(5))
    }
    .optimistic { input, changes in
      changes.update(feed) { pages in pages?.updateEach { page, _ in page.append(input) } }
    }
    simulation.start(like, with: 990, on: client)
    expectEqual(client.data(for: feed)?.pages, [[0, 990]])
    expect(client.result(for: feed).hasNextPage)
    try simulation.run { _ = try await client.fetchNextPage(of: feed) }
    expectEqual(client.data(for: feed)?.pages, [[0, 990], [10, 990]])
    simulation.advance(by: .seconds(10))
    expectEqual(client.data(for: feed)?.pages, [[0], [10]])
    withExtendedLifetime(recording) {}
  }

  // Law 8
  @Test func aLayerThatReadsItsOwnKeySeesWhatLiesBelow() {
    let client = QueryClient(simulation: simulation)
    client.setData([1], for: Self.list)
    let seen = Notes<[Int]?>()
    let mutation = Mutation("m") { (_: Int) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(1))
    }
    .optimistic { [weak client] input, changes in
      changes.update(Self.list) { list in
        seen.add(client?.data(for: Self.list))
        list?.append(input)
      }
    }
    simulation.start(mutation, with: 2, on: client)
    expectEqual(client.data(for: Self.list), [1, 2])
    expectEqual(client.data(for: Self.list), [1, 2])
    // Worked out once, whoever looks.
    expectEqual(seen.all, [[1]])
    simulation.advance(by: .seconds(1))
  }
}
