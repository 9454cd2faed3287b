import StreamQuery
import StreamQueryTesting
import Testing

/// Refetches that are fewer, or later, than their reasons: when polls fail, and after returns.
struct RefetchPacingTests {
  let simulation = Simulation(seed: 44)
  let online = ManualSignal(true)
  let active = ManualSignal(true)

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    let (online, active) = (online, active)
    return QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
      configure(&$0)
    }
  }

  private func flap(_ signal: ManualSignal<Bool>, for time: Duration = .milliseconds(10)) {
    signal.send(false)
    simulation.advance(by: time)
    signal.send(true)
    simulation.advance(by: .milliseconds(10))
  }

  // MARK: Polls

  @Test func pollsThatFailBackOffAndDataBringsTheIntervalBack() {
    let client = client()
    let fetch = ScriptedFetch<Int>(
      .value(1),
      .failure(Boom(1)),
      .failure(Boom(2)),
      .failure(Boom(3)),
      .failure(Boom(4)),
      .value(2)
    )
    let query = Query("n", fetch: fetch).retry(.never)
      .refetchInterval(.every(.seconds(10)).backingOff(to: .minutes(1)))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(220))
    expectEqual(
      fetch.calls.map(\.start),
      [0, 10, 30, 70, 130, 190, 200, 210, 220].map { .seconds($0) }
    )
    recording.cancel()
  }

  @Test func aFailedPollIsCountedUntilThereIsDataHoweverItCame() {
    let client = client()
    let seen = Notes<Int>()
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(1)))
    let query = Query("n", fetch: fetch).retry(.never).refetchInterval(
      .dynamic { info in
        seen.add(info.pollFailureCount)
        return .seconds(10)
      }
    )
    let recording = simulation.record(client.stream(query))
    func count() -> [Int] { client.diagnostics(.query(query)).map(\.pollFailureCount) }
    simulation.advance(by: .seconds(25))
    expectEqual(count(), [2])
    // A call that fails is no poll.
    simulation.task { try await client.fetch(query) }
    simulation.settle()
    expectEqual(count(), [2])
    client.setData(2, for: query.key)
    expectEqual(count(), [0])
    simulation.advance(by: .seconds(10))
    expectEqual(count(), [1])
    simulation.task { await client.reset(.all) }
    simulation.settle()
    expectEqual(count(), [0])
    #expect(seen.all.contains(2))
    recording.cancel()
  }

  @Test func pollsAreApartByARandomPart() {
    let client = client()
    let fetches = (0..<20).map { ScriptedFetch(.value($0)) }
    let recordings = fetches.enumerated().map { number, fetch in
      simulation.record(
        client.stream(
          Query("n", number, fetch: fetch)
            .refetchInterval(.every(.seconds(10)).backingOff().jittered(by: 0.2))
        )
      )
    }
    simulation.advance(by: .seconds(100))
    var gaps: Set<Duration> = []
    for fetch in fetches {
      let starts = fetch.calls.map(\.start)
      #expect(starts.count > 8 && starts.count <= 13)
      let own = zip(starts.dropFirst(), starts).map { $0 - $1 }
      #expect(own.allSatisfy { $0 >= .seconds(8) && $0 <= .seconds(12) })
      gaps.formUnion(own)
    }
    #expect(gaps.count > 150, "neither queries nor polls of one query repeat each other")
    // A look at the entry, or a write, draws no other number.
    let (query, before) = (QueryKey<Int>("n", 0), fetches[0].calls.count)
    for _ in 0..<60 {
      simulation.advance(by: .milliseconds(100))
      client.setData(1, for: query)
      _ = client.diagnostics(.all)
    }
    simulation.advance(by: .seconds(6))
    #expect(fetches[0].calls.count > before)
    withExtendedLifetime(recordings) {}
  }

  // MARK: Streams of triggers

  @Test func aBurstOfTriggersRefetchesAtItsBeginningAndAtTheEndOfTheTime() {
    let client = client()
    let (ticks, feed) = AsyncStream.makeStream(of: Int.self)
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).refetch(on: ticks, pacing: .coalescing(.seconds(1)))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    for tick in 1...10 {
      feed.yield(tick)
      simulation.advance(by: .milliseconds(20))
    }
    simulation.advance(by: .seconds(5))
    expectEqual(fetch.calls.map(\.start), [0, 0, 1].map { .seconds($0) })
    feed.yield(11)
    simulation.settle()
    feed.yield(12)
    // What came before the end of the stream refetches, although it has ended.
    feed.finish()
    simulation.advance(by: .seconds(5))
    expectEqual(fetch.callCount, 5)
    recording.cancel()
  }

  @Test func triggersAreSpreadAndForgottenWithTheLastObserver() {
    let client = client()
    let (ticks, feed) = AsyncStream.makeStream(of: Int.self)
    let fetch = ScriptedFetch(.value(1))
    let recording = simulation.record(
      client.stream(
        Query("n", fetch: fetch).refetch(on: ticks, pacing: .spreading(over: .seconds(10)))
      )
    )
    simulation.settle()
    feed.yield(1)
    feed.yield(2)
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    simulation.advance(by: .seconds(10))
    expectEqual(fetch.callCount, 2)
    feed.yield(3)
    simulation.settle()
    recording.cancel()
    simulation.advance(by: .seconds(20))
    expectEqual(fetch.callCount, 2)
    expectEqual(simulation.leakReport(), [])
  }

  private typealias Feeds = Notes<AsyncStream<Int>.Continuation>

  /// A stream of its own for each subscription, as a source has that all of them hear.
  private static func stream(_ feeds: Feeds) -> AsyncStream<Int> {
    let (stream, feed) = AsyncStream.makeStream(of: Int.self)
    feeds.add(feed)
    return stream
  }

  @Test(
    "observers of one key share its pacing: what they all hear of is one burst",
    arguments: [
      (RefetchPacing.spreading(over: .seconds(10)), 1),
      (.coalescing(.seconds(1), spreading: .seconds(5)), 1),
      // At its beginning and, for those that came later than the refetch, at the end of the time.
      (.coalescing(.seconds(1)), 2),
    ]
  )
  func triggersOfObservers(pacing: RefetchPacing, refetches: Int) {
    let client = client()
    let feeds = Feeds()
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).staleTime(.infinite)
      .refetch(on: Self.stream(feeds), pacing: pacing)
    let recordings = (0..<5).map { _ in simulation.record(client.stream(query)) }
    simulation.settle()
    expectEqual(feeds.all.count, 5)
    for _ in 1...3 {
      let before = fetch.callCount
      for feed in feeds.all { feed.yield(1) }
      simulation.advance(by: .seconds(20))
      #expect((before + 1...before + refetches).contains(fetch.callCount))
      let between = fetch.callCount
      feeds.all.last?.yield(2)
      simulation.advance(by: .seconds(20))
      expectEqual(fetch.callCount, between + 1)
    }
    withExtendedLifetime(recordings) {}
  }

  @Test func theTimeBetweenRefetchesIsTheKeysAndOutlivesObservers() {
    let client = client()
    let feeds = Feeds()
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).staleTime(.infinite)
      .refetch(on: Self.stream(feeds), pacing: .coalescing(.seconds(10)))
    for _ in 0..<4 {
      let recording = simulation.record(client.stream(query))
      simulation.settle()
      feeds.all.last?.yield(1)
      simulation.advance(by: .seconds(4))
      recording.cancel()
      simulation.settle()
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(30))
    expectEqual(fetch.calls.map(\.start), [0, 0, 10, 20].map { .seconds($0) })
    recording.cancel()
  }

  @Test func anElementWithoutPacingMakesTheRefetchThatIsDue() {
    let client = client()
    let (slow, fast) = (Feeds(), Feeds())
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).staleTime(.infinite)
    let recordings = [
      simulation.record(
        client.stream(query.refetch(on: Self.stream(slow), pacing: .coalescing(.seconds(10))))
      ),
      simulation.record(client.stream(query.refetch(on: Self.stream(fast)))),
    ]
    simulation.settle()
    slow.all.last?.yield(1)
    simulation.advance(by: .seconds(1))
    slow.all.last?.yield(2)
    simulation.advance(by: .seconds(1))
    fast.all.last?.yield(1)
    simulation.advance(by: .seconds(30))
    expectEqual(fetch.calls.map(\.start), [0, 0, 2].map { .seconds($0) })
    withExtendedLifetime(recordings) {}
  }

  @Test("a refetch that is due is not made for what was removed", arguments: [false, true])
  func triggersBeforeARemoval(clears: Bool) {
    let client = client()
    let feeds = Feeds()
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).staleTime(.infinite)
      .refetch(on: Self.stream(feeds), pacing: .spreading(over: .seconds(10)))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    feeds.all.last?.yield(1)
    simulation.settle()
    if clears { client.clear() } else { client.remove(query) }
    simulation.advance(by: .seconds(20))
    expectEqual(fetch.callCount, 1)
    // The next element is a reason again.
    feeds.all.last?.yield(2)
    simulation.advance(by: .seconds(20))
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }

  @Test("a refetch that was dropped because nobody observed begins no time")
  func triggersWithoutObservers() {
    let client = client()
    let feeds = Feeds()
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).staleTime(.infinite)
      .refetch(on: Self.stream(feeds), pacing: .coalescing(.seconds(10)))
    let first = simulation.record(client.stream(query))
    simulation.settle()
    feeds.all.last?.yield(1)
    simulation.advance(by: .seconds(1))
    feeds.all.last?.yield(2)
    simulation.settle()
    first.cancel()
    simulation.advance(by: .seconds(10))
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    feeds.all.last?.yield(3)
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.calls.map(\.start), [0, 0, 12].map { .seconds($0) })
    second.cancel()
  }

  @Test("a refetch that is due leaves with its entry")
  func triggersOfAnEntryThatGoes() {
    let client = client()
    let feeds = Feeds()
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).gcTime(.zero)
      .refetch(on: Self.stream(feeds), pacing: .coalescing(.minutes(60)))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    for tick in 1...3 {
      feeds.all.last?.yield(tick)
      simulation.settle()
    }
    expectEqual(fetch.callCount, 2)
    recording.cancel()
    simulation.settle()
    expectEmpty(client.diagnostics(.all))
    expectEqual(simulation.leakReport(), [])
    simulation.advance(by: .minutes(120))
    expectEqual(fetch.callCount, 2)
  }

  // MARK: Returns

  @Test(arguments: [false, true])
  func returnsInQuickSuccessionRefetchOnce(isReconnect: Bool) {
    let client = client {
      $0.activationPacing = .coalescing(.seconds(1))
      $0.reconnectPacing = .coalescing(.seconds(1))
    }
    let fetch = ScriptedFetch(.value(1))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch)))
    simulation.settle()
    for _ in 1...10 { flap(isReconnect ? online : active) }
    expectEqual(fetch.callCount, 2)
    simulation.advance(by: .seconds(1))
    flap(isReconnect ? online : active)
    expectEqual(fetch.callCount, 3)
    // The other kind counts by itself.
    flap(isReconnect ? active : online)
    expectEqual(fetch.callCount, 4)
    recording.cancel()
  }

  @Test("a return within the time is not lost if what the first one began has failed")
  func coalescedReturnsAreNotLost() {
    let client = client { $0.reconnectPacing = .coalescing(.seconds(1)) }
    let failing = ScriptedFetch<Int>(.value(1), .failure(Boom(1)), .value(2))
    let fine = ScriptedFetch<Int>(.value(1))
    let recordings = [failing, fine].enumerated().map {
      simulation.record(client.stream(Query("n", $0, fetch: $1).retry(.never)))
    }
    simulation.settle()
    flap(online)
    flap(online)
    expectEqual([failing.callCount, fine.callCount], [2, 2])
    simulation.advance(by: .milliseconds(960))
    expectEqual([failing.callCount, fine.callCount], [2, 2])
    simulation.advance(by: .milliseconds(10))
    expectEqual([failing.callCount, fine.callCount], [3, 2])
    // Once only.
    simulation.advance(by: .seconds(10))
    expectEqual([failing.callCount, fine.callCount], [3, 2])
    withExtendedLifetime(recordings) {}
  }

  @Test(
    "a return within the time refetches as any other, although the other kind is away",
    arguments: [false, true]
  )
  func coalescedReturnsDoNotWaitForTheOtherKind(isReconnect: Bool) {
    let client = client {
      $0.activationPacing = .coalescing(.seconds(1))
      $0.reconnectPacing = .coalescing(.seconds(1))
    }
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(1)), .value(2))
    let query = Query("n", fetch: fetch).retry(.never).networkMode(.always)
    let recording = simulation.record(
      client.stream(
        isReconnect
          ? query.refetchOnReconnect(.ifStale).refetchOnActive(.never)
          : query.refetchOnReconnect(.never).refetchOnActive(.ifStale)
      )
    )
    simulation.settle()
    (isReconnect ? active : online).send(false)
    simulation.settle()
    flap(isReconnect ? online : active)
    flap(isReconnect ? online : active)
    expectEqual(fetch.callCount, 2)
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 3)
    // The other kind comes back, and owes nothing.
    (isReconnect ? active : online).send(true)
    simulation.advance(by: .seconds(10))
    expectEqual(fetch.callCount, 3)
    recording.cancel()
  }

  @Test("a return within the time is left to the next one if what came back is away again")
  func coalescedReturnsAreLeftToTheNext() {
    let client = client { $0.reconnectPacing = .coalescing(.seconds(1)) }
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(1)), .value(2))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch).retry(.never)))
    simulation.settle()
    flap(online)
    flap(online)
    flap(online, for: .seconds(2))
    expectEqual(fetch.callCount, 3)
    expectEqual(recording.values.last?.data, 2)
    recording.cancel()
  }

  @Test func withoutPacingEachReturnRefetches() {
    let client = client()
    let fetch = ScriptedFetch(.value(1))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch)))
    simulation.settle()
    for _ in 1...10 { flap(active) }
    expectEqual(fetch.callCount, 11)
    recording.cancel()
  }

  @Test func whatWasPausedContinuesAtEachReturn() {
    let client = client { $0.reconnectPacing = .coalescing(.minutes(1)) }
    let first = simulation.record(client.stream(Query("a", fetch: ScriptedFetch(.value(1)))))
    simulation.settle()
    flap(online)
    online.send(false)
    simulation.settle()
    let second = simulation.record(client.stream(Query("b", fetch: ScriptedFetch(.value(2)))))
    simulation.settle()
    #expect(second.summaries == [.pending(.paused)])
    online.send(true)
    simulation.settle()
    #expect(second.summaries.last == .success(2))
    withExtendedLifetime(first) {}
  }

  @Test func refetchesOfAReturnAreSpread() throws {
    let client = client { $0.reconnectPacing = .coalescing(.zero, spreading: .seconds(50)) }
    let fetches = (0..<50).map { ScriptedFetch(.value($0)) }
    let recordings = fetches.enumerated().map {
      simulation.record(client.stream(Query("n", $0, fetch: $1)))
    }
    let asked = ScriptedFetch(.value(0))
    let condition = simulation.record(
      client.stream(Query("asked", fetch: asked).refetchOnReconnect(.when { true }))
    )
    simulation.settle()
    flap(online)
    let start = simulation.now
    expectEqual(asked.callCount, 2, "a condition is asked at once")
    var counts: [Int] = []
    for _ in 0..<5 {
      simulation.advance(by: .seconds(10))
      counts.append(fetches.count { $0.callCount == 2 })
    }
    expect(counts.map { ($0 + 5) / 10 } == [1, 2, 3, 4, 5] && counts.last == 50)
    let times = fetches.compactMap { $0.calls.last?.start }
    expectEqual(Set(times).count, 50)
    expect(times != times.sorted(), "their order is random")
    #expect(times.allSatisfy { $0 <= start + .seconds(50) })
    // A caller that waits is not kept waiting for its turn.
    online.send(false)
    simulation.settle()
    let call = simulation.task {
      try await client.fetch(Query("m", fetch: ScriptedFetch(.value(7))))
    }
    simulation.settle()
    online.send(true)
    simulation.settle()
    try expectEqual(simulation.run { try await call.value }, 7)
    withExtendedLifetime((recordings, condition)) {}
  }

  @Test func aShortLossLeavesWhatIsSpreadToItsTime() throws {
    let client = client {
      $0.reconnectPacing = .coalescing(.seconds(1), spreading: .seconds(5))
    }
    let fetches = (0..<50).map { ScriptedFetch(.value($0)) }
    func query(_ number: Int) -> Query<Int> {
      Query("n", number, fetch: fetches[number]).staleTime(.minutes(1))
    }
    online.send(false)
    simulation.settle()
    let recordings = fetches.indices.map { simulation.record(client.stream(query($0))) }
    simulation.settle()
    online.send(true)
    simulation.advance(by: .milliseconds(300))
    online.send(false)
    simulation.settle()
    expectEqual(fetches.count { $0.callCount > 0 }, 3)
    let awaited = try #require(fetches.lastIndex { $0.callCount == 0 })
    let call = simulation.task { [query = query(awaited)] in try await client.fetch(query) }
    simulation.advance(by: .milliseconds(200))
    online.send(true)
    simulation.settle()
    // Two were due meanwhile, and one has a caller that waits for it.
    expectEqual(fetches[awaited].callCount, 1)
    #expect((5...6).contains(fetches.count { $0.callCount > 0 }))
    try expectEqual(simulation.run { try await call.value }, awaited)
    simulation.advance(by: .seconds(6))
    expectEqual(fetches.map(\.callCount), Array(repeating: 1, count: 50))
    withExtendedLifetime(recordings) {}
  }

  @Test(
    "a return whose refetches are spread is not lost when the other kind comes",
    arguments: [false, true]
  )
  func spreadReturnsOfBothKinds(isReconnect: Bool) {
    let client = client {
      $0.reconnectPacing = .spreading(over: .seconds(10))
      $0.activationPacing = .spreading(over: .seconds(10))
    }
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch)
    let recording = simulation.record(
      client.stream(
        isReconnect
          ? query.refetchOnReconnect(.ifStale).refetchOnActive(.never)
          : query.refetchOnReconnect(.never).refetchOnActive(.ifStale)
      )
    )
    simulation.settle()
    flap(isReconnect ? online : active)
    flap(isReconnect ? active : online)
    simulation.advance(by: .seconds(20))
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }

  @Test(
    "what is spread is left to the next return if what came back is away again when it is due",
    arguments: [false, true]
  )
  func spreadReturnsAreLeftToTheNext(isReconnect: Bool) {
    let client = client {
      $0.reconnectPacing = .spreading(over: .seconds(100))
      $0.activationPacing = .spreading(over: .seconds(100))
    }
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch).networkMode(.always).refetchOnReconnect(.ifStale)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let signal = isReconnect ? online : active
    flap(signal)
    signal.send(false)
    simulation.advance(by: .seconds(200))
    expectEqual(fetch.callCount, 1)
    signal.send(true)
    simulation.advance(by: .seconds(200))
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }

  @Test(
    "what a return owes is not fetched if it was removed since: law 13",
    arguments: [RefetchPacing.coalescing(.seconds(5)), .spreading(over: .seconds(10))],
    [false, true]
  )
  func returnsBeforeARemoval(pacing: RefetchPacing, clears: Bool) {
    let client = client { $0.reconnectPacing = pacing }
    let fetch = ScriptedFetch(.value(1))
    let query = Query("n", fetch: fetch)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    // The second return comes within the time of the first one.
    flap(online)
    flap(online)
    simulation.advance(by: .milliseconds(100))
    let count = fetch.callCount
    if clears { client.clear() } else { client.remove(query) }
    simulation.advance(by: .seconds(20))
    expectEqual(fetch.callCount, count)
    expectNil(recording.values.last?.data)
    // The next return is a reason again.
    flap(online)
    simulation.advance(by: .seconds(20))
    expectEqual(fetch.callCount, count + 1)
    recording.cancel()
  }

  @Test func whatIsSpreadIsForgottenWithItsObserver() {
    let client = client { $0.reconnectPacing = .coalescing(.zero, spreading: .seconds(10)) }
    let fetch = ScriptedFetch(.value(1))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch)))
    simulation.settle()
    flap(online, for: .zero)
    recording.cancel()
    simulation.advance(by: .minutes(10))
    #expect(fetch.callCount <= 2)
    expect(simulation.isIdle)
  }

  // MARK: A connectivity that is wrong

  @Test func anOfflineReportIsTrustedForATimeOnly() {
    let online = online
    let client = client { $0.connectivity = Connectivity { online }.trusted(for: .minutes(2)) }
    online.send(false)
    simulation.settle()
    let fetch = ScriptedFetch(.value(1))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch)))
    simulation.advance(by: .seconds(100))
    // Equal reports are one.
    online.send(false)
    simulation.advance(by: .seconds(19))
    #expect(recording.summaries == [.pending(.paused)])
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries.last == .success(1))
    // A report that changes is believed again, for as long; the return refetches as any other.
    online.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 2)
    online.send(false)
    simulation.settle()
    client.setData(2, for: "n")
    simulation.task { await client.refetch(.all) }
    simulation.advance(by: .seconds(119))
    expectEqual(fetch.callCount, 2)
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 3)
    recording.cancel()
  }

  @Test("the network comes back after its loss was doubted: what failed meanwhile is refetched")
  func aDoubtedLossEndsAsAnyOther() {
    let online = online
    let client = client { $0.connectivity = Connectivity { online }.trusted(for: .minutes(2)) }
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(1)), .value(2))
    let recording = simulation.record(
      client.stream(Query("n", fetch: fetch).retry(.never).staleTime(.minutes(1)))
    )
    simulation.settle()
    online.send(false)
    simulation.advance(by: .minutes(3))
    // What the doubt brought has failed: there is no network indeed.
    expectEqual(fetch.callCount, 2)
    online.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 3)
    expectEqual(recording.values.last?.data, 2)
    recording.cancel()
  }

  @Test func aNetworkThatComesBackInTimeIsNotDoubted() {
    let online = online
    let client = client { $0.connectivity = Connectivity { online }.trusted(for: .minutes(2)) }
    flap(online, for: .seconds(100))
    online.send(false)
    simulation.settle()
    let fetch = ScriptedFetch(.value(1))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch)))
    // The first loss has ended, and its time does not count for the second.
    simulation.advance(by: .seconds(110))
    expectEqual(fetch.callCount, 0)
    simulation.advance(by: .seconds(10))
    expectEqual(fetch.callCount, 1)
    recording.cancel()
  }
}
