import StreamQuery
import StreamQueryTesting
import Testing

/// Stale data in place of a wait, while the fetch goes on.
struct SoftTimeoutTests {
  private static func query(
    _ steps: ScriptedFetch<Int>.Step...,
    limit: Duration = .seconds(2),
    grace: Duration = .seconds(20)
  ) -> Query<Int> {
    Query("n", fetch: ScriptedFetch<Int>(steps))
      .staleTime(.seconds(10)).staleIfError(grace).softTimeout(limit)
  }

  @Test func whoHasWaitedLongEnoughGetsStaleDataAndTheFetchLands() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(5)))
    world.ask(query)
    world.advance(to: 12)
    world.ask(query)
    world.advance(to: 13)
    world.ask(query)
    world.advance(to: 15)
    world.ask(query)
    world.advance(to: 18)
    world.ask(query)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "12.0 fetching", "14.0 served stale to 2",
        "14.0 got 7", "14.0 got 7", "15.0 got 7", "17.0 fetched", "18.0 got 8",
      ]
    )
    expectEqual(world.client.lookups.staleHits, 1)
    expectEqual(world.simulation.leakReport(), [])
  }

  @Test func theFetchGoesOnAlthoughLaterCallersAndObserversLeave() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(5)))
    world.ask(query)
    world.advance(to: 12)
    world.ask(query)
    world.advance(to: 15)
    world.ask(query) { try await $0.fetch($1, throwOnError: true) }.cancel()
    let recording = world.simulation.record(world.client.stream(query))
    world.simulation.settle()
    recording.cancel()
    world.advance(to: 18)
    expectEqual(
      world.news().suffix(4),
      [
        "14.0 served stale to 1", "14.0 got 7", "15.0 threw CancellationError()", "17.0 fetched",
      ]
    )
  }

  @Test func aQuickAnswerIsWaitedFor() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(1)))
    world.ask(query)
    world.advance(to: 12)
    world.ask(query)
    world.advance(to: 20)
    expectEqual(world.news().suffix(3), ["12.0 fetching", "13.0 fetched", "13.0 got 8"])
  }

  @Test func withoutPatienceNobodyWaitsForARefetch() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(5)), limit: .zero)
    world.ask(query)
    for time in [12, 14, 18] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "12.0 fetching", "12.0 got 7", "14.0 got 7",
        "17.0 fetched", "18.0 got 8",
      ]
    )
  }

  /// Without data, after the grace, or if the caller says so, there is only the wait.
  @Test func withoutDataThatMayBeServedCallersWait() {
    let world = ServingWorld()
    let query = Self.query(.value(7, after: .seconds(5)), limit: .seconds(1))
    world.ask(query)
    world.advance(to: 20)
    world.ask(query) { try await $0.fetch($1, throwOnError: true) }
    world.advance(to: 60)
    world.ask(query)
    world.advance(to: 70)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "5.0 fetched", "5.0 got 7", "20.0 fetching", "25.0 fetched", "25.0 got 7",
        "60.0 fetching", "65.0 fetched", "65.0 got 7",
      ]
    )
  }

  /// The grace ends at 30 s, before the patience does.
  @Test func whoseDataGetsTooOldMeanwhileWaitsForTheFetch() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(5)))
    world.ask(query)
    world.advance(to: 29)
    world.ask(query)
    world.advance(to: 40)
    expectEqual(world.news().suffix(3), ["29.0 fetching", "34.0 fetched", "34.0 got 8"])
  }

  @Test func callersOfDifferentPatienceLeaveOneAfterTheOther() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(9)))
    world.ask(query)
    world.advance(to: 12)
    world.ask(query.softTimeout(.seconds(6)))
    world.ask(query.softTimeout(.seconds(3)))
    world.ask(query.softTimeout(.seconds(30)))
    world.ask(query.softTimeout(.seconds(3))).cancel()
    world.advance(to: 30)
    expectEqual(
      world.news().suffix(7),
      [
        "12.0 threw CancellationError()", "15.0 served stale to 1", "15.0 got 7",
        "18.0 served stale to 1", "18.0 got 7", "21.0 fetched", "21.0 got 8",
      ]
    )
  }

  @Test func aFetchThatIsGivenUpLaterFailsForNobody() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1), after: .seconds(5)), .value(9))
    world.ask(query)
    world.advance(to: 12)
    world.ask(query)
    world.advance(to: 18)
    world.ask(query)
    expectEqual(
      world.news().suffix(6),
      [
        "14.0 served stale to 1", "14.0 got 7", "17.0 failed: boom 1", "18.0 fetching",
        "18.0 fetched", "18.0 got 9",
      ]
    )
  }

  /// Each would otherwise cancel the refetch that it began, and the data would never be renewed.
  @Test func callersWithATimeoutOfTheirOwnLeaveTheFetchToLandToo() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(5)), limit: .seconds(1_000))
    world.ask(query)
    for time in [12, 14] as [Double] {
      world.advance(to: time)
      world.ask(query) { try await $0.fetch($1, timeout: .seconds(1)) }
    }
    world.ask(query) { try await $0.fetch($1, timeout: .zero) }
    world.advance(to: 18)
    world.ask(query)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "12.0 fetching", "13.0 served stale to 1",
        "13.0 got 7", "14.0 served stale to 1", "14.0 got 7", "15.0 served stale to 1",
        "15.0 got 7", "17.0 fetched", "18.0 got 8",
      ]
    )
    expectEqual(world.simulation.leakReport(), [])
  }

  /// Nobody remembers when the data was invalidated: it counts as stale from the beginning.
  @Test func whoJoinsTheFetchOfAQueryThatPromisedNothingGetsNothingTooOld() {
    let world = ServingWorld()
    let plain = Query("n", fetch: ScriptedFetch<Int>(.value(7), .value(8, after: .seconds(20))))
      .staleTime(.infinite)
    world.ask(plain)
    world.advance(to: 1)
    world.simulation.run { await world.client.invalidate(.query(plain), refetch: .never) }
    world.advance(to: 25)
    world.ask(plain)
    world.ask(plain.staleIfError(.seconds(20)).softTimeout(.seconds(2)))
    world.advance(to: 60)
    expectEqual(
      world.news().suffix(4),
      ["25.0 fetching", "45.0 fetched", "45.0 got 8", "45.0 got 8"]
    )
  }

  @Test func aWaitForTheNetworkEndsTheSame() {
    let online = ManualSignal(true)
    let world = ServingWorld { $0.connectivity = Connectivity { online } }
    let query = Self.query(.value(7), .value(8))
    world.ask(query)
    online.send(false)
    world.advance(to: 12)
    world.ask(query)
    world.advance(to: 15)
    online.send(true)
    world.simulation.settle()
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "12.0 fetching", "14.0 served stale to 1",
        "14.0 got 7", "15.0 fetched",
      ]
    )
  }

  /// Whatever the order: none is answered twice or left behind, and the fetch lands.
  @Test(arguments: Seeds.few(5))
  func callersThatComeAndGoAreEachAnsweredOnce(seed: UInt64) {
    let world = ServingWorld(seed: seed)
    let query = Self.query(.value(7), .value(8, after: .seconds(5)))
    world.ask(query)
    world.advance(to: 12)
    _ = world.news()
    var (callers, random): ([Task<Void, Never>], UInt64) = ([], seed)
    for step in 0..<24 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      callers.append(world.ask(query.softTimeout(.milliseconds(500 * (random >> 33 % 8)))))
      if random >> 40 % 3 == 0 { callers[Int(random >> 45) % callers.count].cancel() }
      world.advance(to: 12 + Double(step) / 4)
    }
    world.advance(to: 30)
    let news = world.news()
    expectEqual(news.count { $0.contains("got") || $0.contains("threw") }, 24)
    #expect(news.count { $0.hasSuffix("fetched") } >= 1)
    expect(!world.client.result(for: query.key).isFetching)
    expectEqual(world.simulation.leakReport(), [])
  }
}
