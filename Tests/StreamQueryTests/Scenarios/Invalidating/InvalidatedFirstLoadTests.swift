import StreamQuery
import StreamQueryTesting
import Testing

/// What an invalidation does to a fetch that runs: contract X03.
struct InvalidatedFirstLoadTests {
  let simulation = Simulation(seed: 12)

  private func counting(_ milliseconds: Int) -> ScriptedFetch<Int> {
    ScriptedFetch((1...200).map { .value($0, after: .milliseconds(milliseconds)) })
  }

  @Test("an invalidation during a first load is not forgotten: the answer is fetched again")
  func aFirstLoadThatWasInvalidatedIsFetchedAgain() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", counting(100)).staleTime(.infinite)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.invalidate(query) }
    // Its caller waited for the newer answer.
    expectEqual(simulation.now, .milliseconds(200))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(100, .success(1, isFetching: true)),
        at(200, .success(2)),
      ]
    )
    expectEqual(recording.values.map(\.isStale), [true, true, false])
    expectEqual(recording.values.map(\.cause), [.subscribed, .invalidated, .invalidated])
  }

  @Test func whoAwaitedTheFirstLoadGetsItsAnswerAndFindsItStale() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = counting(100)
    let query = Query.scripted("n", fetch).staleTime(.infinite)
    let got = Notes<Int>()
    simulation.task { got.add(try await client.fetch(query)) }
    simulation.advance(by: .milliseconds(50))
    // Nobody observes it: it is marked, and not fetched again by itself.
    simulation.run { await client.invalidate(query) }
    expectEqual(simulation.now, .milliseconds(50))
    simulation.advance(by: .milliseconds(250))
    expectEqual(got.all, [1])
    expectEqual(fetch.calls.count, 1)
    expect(client.isStale(query))
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
    expect(!client.isStale(query))
  }

  @Test func whatNobodyObservesIsFetchedAgainIfTheCallMeansThat() {
    let client = QueryClient(simulation: simulation)
    let fetch = counting(100)
    let query = Query.scripted("n", fetch).staleTime(.infinite)
    simulation.task { await client.prefetch(query) }
    simulation.advance(by: .milliseconds(50))
    // Never any result: left out, like of every bulk refetch.
    simulation.run { await client.invalidate(.all, refetch: .all) }
    expectEqual(simulation.now, .milliseconds(50))
    simulation.advance(by: .milliseconds(100))
    simulation.task { await client.prefetch(query) }
    simulation.settle()
    for _ in 0..<4 { simulation.task { await client.invalidate(.all, refetch: .all) } }
    simulation.settle()
    simulation.run { await client.invalidate(.all, refetch: .all) }
    expectEqual(simulation.now, .milliseconds(350))
    expectEqual(fetch.calls.map(\.outcome).filter { $0 == .value }.count, 3)
    expect(!client.isStale(query))
  }

  @Test func markingOnlyLeavesTheAnswerMarkedAndFetchesNothing() {
    let client = QueryClient(simulation: simulation)
    let fetch = counting(100)
    let query = Query.scripted("n", fetch).staleTime(.infinite)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.invalidate(.all, refetch: .never) }
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline == [at(0, .pending(isFetching: true)), at(100, .success(1))])
    expectEqual(recording.values.last?.isStale, true)
    expectEqual(fetch.calls.count, 1)
  }

  @Test func whoJoinsOnPurposeTakesTheAnswerForNewEnough() {
    let client = QueryClient(simulation: simulation)
    let fetch = counting(100)
    let query = Query.scripted("n", fetch).staleTime(.infinite)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.invalidate(.all, superseding: false) }
    expectEqual(simulation.now, .milliseconds(100))
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline == [at(0, .pending(isFetching: true)), at(100, .success(1))])
    expectEqual(recording.values.last?.isStale, false)
  }

  @Test func aStormOfInvalidationsCannotKeepEveryAnswerAway() {
    let client = QueryClient(simulation: simulation)
    let fetch = counting(290)
    let query = Query.scripted("n", fetch).staleTime(.infinite)
    client.setData(0, for: query)
    let recording = simulation.record(client.stream(query))
    for _ in 0..<100 {
      simulation.task { await client.invalidate(query) }
      simulation.advance(by: .milliseconds(100))
    }
    simulation.advance(by: .seconds(1))
    var values: [Int] = []
    var times: [Duration] = []
    for element in recording.elements {
      if let data = element.element.data, data != values.last {
        values.append(data)
        times.append(element.time)
      }
    }
    // Four fetches for an answer: the fourth is joined, and the one that follows it begins at once.
    let landings = (0..<20).map { Duration.milliseconds(590 + 500 * $0) }
    expectEqual(times, [.zero] + landings + [.milliseconds(10_380)])
    expectEqual(values.last, 81)
    expectEqual(fetch.calls.count, 81)
    expectEqual(recording.values.last?.isStale, false)
    expectEqual(recording.values.last?.isFetching, false)
    expect(simulation.isIdle)
  }

  @Test func callersOfAStormReturnWhenANewerAnswerIsThere() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", counting(300)).staleTime(.infinite)
    client.setData(0, for: query)
    let recording = simulation.record(client.stream(query))
    let returned = Notes<[Int]>()
    for call in 0..<6 {
      simulation.task {
        await client.invalidate(query)
        returned.add([call, client.data(for: query) ?? -1])
      }
      simulation.advance(by: .milliseconds(10))
    }
    simulation.advance(by: .seconds(1))
    // A caller whose fetch is replaced waits for the one that lands; the fifth and the sixth could
    // not replace it, and wait for what is fetched after it.
    expectEqual(Set(returned.all), [[0, 4], [1, 4], [2, 4], [3, 4], [4, 5], [5, 5]])
    expectEqual(recording.values.last?.data, 5)
  }

  @Test func theFetchThatFollowsRestsOffline() {
    let network = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { network }
    }
    let query = Query.scripted("n", counting(100)).staleTime(.infinite)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    let returned = Notes<Duration>()
    simulation.task { [simulation] in
      await client.invalidate(query)
      returned.add(simulation.now)
    }
    simulation.advance(by: .milliseconds(30))
    network.send(false)
    simulation.advance(by: .milliseconds(120))
    // What rests counts as settled.
    expectEqual(returned.all, [.milliseconds(100)])
    network.send(true)
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(100, .success(1, .paused)),
        at(200, .success(1, isFetching: true)), at(300, .success(2)),
      ]
    )
  }

  @Test func aCancelledCallerOfAFetchThatFollowsLeavesAtOnce() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", counting(100)).staleTime(.infinite)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    let returned = Notes<Duration>()
    let task = simulation.task { [simulation] in
      await client.invalidate(query)
      returned.add(simulation.now)
    }
    simulation.advance(by: .milliseconds(100))
    task.cancel()
    simulation.settle()
    expectEqual(returned.all, [.milliseconds(150)])
    simulation.advance(by: .milliseconds(100))
    #expect(recording.timeline.last == at(200, .success(2)))
  }

  @Test func aPageThatWasJoinedIsFollowedByAllPages() {
    let client = QueryClient(simulation: simulation)
    let server = PageServer(last: 9)
    let feed = server.query().staleTime(.infinite)
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: .milliseconds(20))
    for _ in 0..<4 {
      simulation.task { try await client.fetchNextPage(of: feed) }
      simulation.advance(by: .milliseconds(1))
    }
    simulation.run { await client.invalidate(feed) }
    expectEqual(recording.values.last?.pages, ["p1#6", "p2#7"])
    expectEqual(recording.values.last?.isStale, false)
    expectEqual(server.params, [1, 2, 2, 2, 2, 1, 2])
  }

  @Test func aStreamThatWasInvalidatedBeforeItsFirstElementIsFollowedByAnother() {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<Duration>()
    let query = Query<[Int]>.streamed("n", refetch: .replace) { [clock = simulation.clock] _ in
      calls.add(clock.now.offset)
      return Slow(limit: 2)
    }.staleTime(.infinite)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.invalidate(query) }
    expectEqual(calls.all, [.zero, .milliseconds(200)])
    let early = recording.elements.filter { $0.time < .milliseconds(400) }
    #expect(early.allSatisfy { $0.element.isStale && $0.element.isFetching })
    expectEqual(early.last?.element.data, [1, 2])
    #expect(recording.timeline.last == at(400, .success([1, 2])))
    expectEqual(recording.values.last?.isStale, false)
  }
}

/// Counts from one, an element each tenth of a second.
private struct Slow: AsyncSequence {
  struct AsyncIterator: AsyncIteratorProtocol {
    var count = 0
    let limit: Int

    mutating func next() async throws -> Int? {
      guard count < limit else { return nil }
      try await Scheduling.current.clock.sleep(for: .milliseconds(100))
      count += 1
      return count
    }
  }

  let limit: Int

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(limit: limit) }
}
