import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Refetches of data that is still fresh.
struct RefreshAheadScenarioTests {
  private static func query(
    _ steps: ScriptedFetch<Int>.Step...,
    refresh: RefreshAhead = .fraction(0.8)
  ) -> Query<Int> {
    Query("n", fetch: ScriptedFetch<Int>(steps)).staleTime(.seconds(10)).refreshAhead(refresh)
  }

  @Test func whoFindsDataThatIsNearlyStaleGetsItAndItIsRefetchedOnce() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(1)))
    for time in [0, 7.5, 8, 8.5, 9.5, 16, 17] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "7.5 got 7", "8.0 fetching", "8.0 got 7",
        "8.5 got 7", "9.0 fetched", "9.5 got 8", "16.0 got 8", "17.0 fetching", "17.0 got 8",
      ]
    )
    expectEqual(world.client.lookups.hits, 6)
    world.advance(to: 20)
    expectEqual(world.simulation.leakReport(), [])
  }

  @Test func whatNobodyUsesIsNotRefetched() {
    let world = ServingWorld()
    world.ask(Self.query(.value(7), .value(8)))
    world.advance(to: 60)
    expectEqual(world.news(), ["0.0 fetching", "0.0 fetched", "0.0 got 7"])
  }

  /// Whoever wrote many keys at once would fetch them all at once, without jitter.
  @Test(arguments: [
    RefreshAhead.fraction(0.5), .fraction(0.5, jitter: 0.4), .probabilistic(beta: 1e9),
  ])
  func dataThatWasWrittenIsNotRefetchedEarly(refresh: RefreshAhead) {
    let world = ServingWorld()
    let query = Self.query(.value(7, after: .seconds(1)), .value(8), refresh: refresh)
    world.ask(query)
    world.advance(to: 2)
    world.client.setData(9, for: query)
    world.advance(to: 11.5)
    world.ask(query)
    world.advance(to: 12)
    world.ask(query)
    expectEqual(
      world.news().suffix(4),
      ["11.5 got 9", "12.0 fetching", "12.0 fetched", "12.0 got 8"]
    )
  }

  @Test func onlyThoseRefetchWhoWantFreshData() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8))
    world.ask(query)
    world.advance(to: 9)
    world.ask(query) { try await $0.ensure($1) }
    world.ask(query) { try await $0.ensure($1, revalidating: true) }
    world.ask(Query("n", fetch: ScriptedFetch<Int>(.value(9))).staleTime(.seconds(10)))
    expectEqual(world.news().suffix(3), ["9.0 got 7", "9.0 got 7", "9.0 got 7"])
    world.simulation.run { await world.client.prefetch(query) }
    expectEqual(world.news(), ["9.0 fetching", "9.0 fetched"])
  }

  /// Otherwise an early refetch would make data stale that is fresh.
  @Test func aRefetchThatFailsLeavesTheDataFresh() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1)), .value(8))
    for time in [0, 8, 9, 9.5, 10] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "8.0 fetching", "8.0 got 7",
        "8.0 failed: boom 1", "9.0 got 7", "9.5 got 7", "10.0 fetching", "10.0 fetched",
        "10.0 got 8",
      ]
    )
  }

  @Test func aFailureThatLastsKeepsItFromBeingTried() {
    for caching in [FailureCaching.off, .seconds(60)] {
      let world = ServingWorld { $0.failureInvalidates = false }
      let query = Self.query(.value(7), .failure(Boom(1)), .value(8))
        .cachesFailures(caching).retry(.never)
      world.ask(query)
      world.simulation.run {
        _ = try? await world.client.observer(of: query.enabled(false)).refetch()
      }
      _ = world.news()
      world.advance(to: 9)
      world.ask(query)
      let isAsked = world.news() != ["9.0 got 7"]
      expectEqual(isAsked, caching.span(of: Boom(1)) == nil)
    }
  }

  /// One number for each answer, from the client's generator: the same seed, the same times.
  @Test(arguments: [RefreshAhead.fraction(0.5, jitter: 0.3), .probabilistic(beta: 2)])
  func theTimeIsDrawnOnceForEachAnswer(refresh: RefreshAhead) {
    func starts(seed: UInt64) -> [String] {
      let world = ServingWorld(seed: seed)
      let query = Self.query(.value(7, after: .milliseconds(500)), refresh: refresh)
      for step in 0...400 {
        world.advance(to: Double(step) / 4)
        world.ask(query)
      }
      return world.news().filter { $0.hasSuffix("fetching") }
    }
    let first = starts(seed: 1)
    #expect(first.count > 9)
    expectEqual(Set(first).count, first.count)
    expectEqual(starts(seed: 1), first)
    expect(starts(seed: 2) != first)
  }

  @Test func noNumbersAreDrawnThatNobodyNeeds() {
    let drawCount = Dial(0)
    let world = ServingWorld { configuration in
      let draw = configuration.randomness
      configuration.randomness = {
        drawCount.with { $0 += 1 }
        return draw()
      }
    }
    world.ask(Self.query(.value(7)))
    world.ask(Query("m") { 1 })
    expectEqual(drawCount.value, 0)
    world.ask(Query("o") { 1 }.staleTime(.seconds(9)).refreshAhead(.probabilistic()))
    world.ask(Query("o") { 1 }.staleTime(.seconds(9)).refreshAhead(.probabilistic()))
    expectEqual(drawCount.value, 1)
  }

  /// `NotModified` is an answer as well.
  @Test func dataThatIsStillGoodIsRefetchedAgain() {
    let world = ServingWorld()
    let query = Query<Int>("n") { context in
      if context.previous(as: Int.self) != nil { throw NotModified() }
      return 7
    }
    .staleTime(.seconds(10)).refreshAhead(.fraction(0.8, jitter: 0.01))
    for time in [0, 9, 10, 18.5] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news().filter { $0.hasSuffix("fetching") },
      [
        "0.0 fetching", "9.0 fetching", "18.5 fetching",
      ]
    )
  }
}
