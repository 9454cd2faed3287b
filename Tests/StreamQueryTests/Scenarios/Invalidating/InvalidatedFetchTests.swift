import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// No answer that began before an invalidation satisfies it: contract X21.
struct InvalidatedFetchTests {
  let simulation = Simulation(seed: 26)

  private func counting(_ milliseconds: Int = 100) -> Query<Int> {
    let fetch = ScriptedFetch<Int>((1...50).map { .value($0, after: .milliseconds(milliseconds)) })
    return Query.scripted("n", fetch).staleTime(.minutes(5))
  }

  @Test func anAnswerThatNobodyObservesIsNotFreshAfterAnInvalidation() throws {
    let client = QueryClient(simulation: simulation, configuration: .server)
    let query = counting()
    client.setData(0, for: query)
    simulation.advance(by: .minutes(5))
    simulation.task { _ = try await client.fetch(query) }
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.invalidate(query) }
    simulation.advance(by: .milliseconds(60))
    // It landed, and has the date of its landing.
    expectEqual(client.data(for: query), 1)
    expect(client.isStale(query))
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
    expect(!client.isStale(query))
  }

  @Test(arguments: [false, true])
  func anObservedAnswerStaysMarkedWithoutARefetch(marksOnly: Bool) {
    let client = QueryClient(simulation: simulation)
    let query = counting()
    client.setData(0, for: query)
    let recording = simulation.record(client.stream(query))
    simulation.task { await client.refetch(query) }
    simulation.advance(by: .milliseconds(50))
    if marksOnly {
      client.markInvalidated(.query(query), refetch: .never)
    } else {
      simulation.run { await client.invalidate(.query(query), refetch: .never) }
    }
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .success(0, isFetching: true)), at(50, .success(0, isFetching: true)),
        at(100, .success(1)),
      ]
    )
    expectEqual(recording.values.map(\.isStale), [false, true, true])
  }

  @Test func dataThatIsRefreshedAheadStaysMarked() throws {
    let client = QueryClient(simulation: simulation)
    let query = counting().refreshAhead(.fraction(0.5))
    _ = try simulation.run { try await client.fetch(query) }
    simulation.advance(by: .minutes(3))
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query), 2)
    expect(client.isStale(query))
  }

  @Test(
    "a caller that comes after the invalidation gets what began after it",
    arguments: [true, false]
  )
  func aCallerThatComesLater(hasData: Bool) throws {
    let client = QueryClient(simulation: simulation)
    let query = counting()
    if hasData { client.setData(0, for: query, updatedAt: .distantPast) }
    let got = Notes<Int>()
    simulation.task { got.add(try await client.fetch(query)) }
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
    expectEqual(simulation.now, .milliseconds(200))
    expectEqual(got.all, [1])
    expect(!client.isStale(query))
  }

  @Test func aCallerThatTakesAnyDataTakesTheOlderAnswer() throws {
    let client = QueryClient(simulation: simulation)
    let query = counting()
    simulation.task { _ = try await client.fetch(query) }
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    try expectEqual(simulation.run { try await client.ensure(query) }, 1)
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query), 1)
    expect(client.isStale(query))
  }

  @Test func whatSubscribesAfterTheInvalidationIsShownWhatBeganAfterIt() {
    let client = QueryClient(simulation: simulation)
    let query = counting()
    simulation.task { await client.prefetch(query) }
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(50, .pending(isFetching: true)), at(100, .success(1, isFetching: true)),
        at(200, .success(2)),
      ]
    )
  }

  @Test("an attempt that waits for its place is one that begins later")
  func anAttemptThatWaitsForItsPlace() throws {
    let client = QueryClient(simulation: simulation) { $0.maxConcurrentFetches = 1 }
    let query = counting()
    let other = Query.scripted("other", ScriptedFetch([.value(0, after: .milliseconds(100))]))
    simulation.task { await client.prefetch(other) }
    simulation.settle()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.invalidate(query) }
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline == [at(0, .pending(isFetching: true)), at(200, .success(1))])
    expect(!client.isStale(query))
  }

  @Test func partsThatBeganBeforeAnInvalidationStayMarked() {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let query = Query<[Int]>.streamed("parts") { _ in
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          try await clock.sleep(for: .milliseconds(100))
          let part = count.with { count in
            count += 1
            return count
          }
          return part <= 3 ? part : nil
        }
      )
    }.staleTime(.minutes(5))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(150))
    client.markInvalidated(.query(query), refetch: .never)
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last?.data, [1, 2, 3])
    expectEqual(recording.values.last?.isStale, true)
  }

  @Test func anAnswerThatSaysThatItIsFromBeforeStaysMarked() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { context in
      context.answer(isOld: .seconds(20))
      return 1
    }.staleTime(.minutes(5))
    client.setData(0, for: query)
    simulation.advance(by: .seconds(10))
    client.markInvalidated(.query(query))
    simulation.advance(by: .seconds(5))
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    expect(client.isStale(query))
    simulation.advance(by: .seconds(20))
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    expect(!client.isStale(query))
  }

  @Test func aWriteDuringAnInvalidatedFirstLoadIsFreshUntilTheOlderAnswerLands() throws {
    let client = QueryClient(simulation: simulation)
    let query = counting()
    simulation.task { await client.prefetch(query) }
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    client.setData(7, for: query)
    expect(!client.isStale(query))
    simulation.advance(by: .milliseconds(100))
    expectEqual(client.data(for: query), 1)
    expect(client.isStale(query))
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
  }

  @Test func anImportFromBeforeAnInvalidationStaysMarked() throws {
    let query = counting()
    let other = QueryClient(simulation: simulation)
    let client = QueryClient(simulation: simulation)
    client.setData(0, for: query)
    simulation.advance(by: .seconds(10))
    other.setData(5, for: query)
    let early = other.export().archive
    simulation.advance(by: .seconds(10))
    client.markInvalidated(.query(query))
    simulation.advance(by: .seconds(10))
    expectEqual(client.import(early, for: [.query(query)]).entryCount, 1)
    expectEqual(client.data(for: query), 5)
    expect(client.isStale(query))
    other.setData(6, for: query)
    expectEqual(client.import(other.export().archive, for: [.query(query)]).entryCount, 1)
    expect(!client.isStale(query))
  }

  @Test("a page that lands with the invalidated pages that it was requested from is not fresh")
  func aPageOverAWrite() throws {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 0) { param, _ in
      try await clock.sleep(for: .milliseconds(100))
      return param
    } nextPageParam: {
      $0.pages.count
    }.staleTime(.minutes(5))
    client.setData(try #require(Pages([7, 7], params: [0, 1])), for: feed)
    client.markInvalidated(.query(feed), refetch: .never)
    simulation.task { _ = try? await client.fetchNextPage(of: feed) }
    simulation.advance(by: .milliseconds(50))
    client.setData(Pages(8, param: 0), for: feed)
    expect(!client.isStale(feed))
    // Who asks now does not take the page for an answer.
    let caller = simulation.task { try await client.fetch(feed.staleTime(.zero)) }
    simulation.advance(by: .milliseconds(60))
    expectEqual(client.data(for: feed)?.pages, [7, 7, 2])
    expect(client.isStale(feed))
    simulation.advance(by: .seconds(1))
    try expectEqual(simulation.run { try await caller.value }.pages, [0, 1, 2])
  }

  @Test("elements are not added to a write that was invalidated before their attempt")
  func elementsOverAnInvalidatedWrite() {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let attempts = Dial(0)
    let query = Query<[Int]>.streamed("parts") { _ in
      let isFirst = attempts.with { count in
        count += 1
        return count == 1
      }
      let rest = Dial([5, 6])
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          try await clock.sleep(for: .milliseconds(100))
          if isFirst { throw Boom(1) }
          return rest.with { $0.isEmpty ? nil : $0.removeFirst() }
        }
      )
    }.staleTime(.minutes(5)).retry(.times(1).backoff(.constant(.milliseconds(100))))
    simulation.task { _ = try? await client.fetch(query) }
    simulation.advance(by: .milliseconds(150))
    client.setData([1], for: query)
    client.markInvalidated(.query(query), refetch: .never)
    simulation.advance(by: .milliseconds(100))
    client.markInvalidated(.query(query), refetch: .never)
    simulation.advance(by: .milliseconds(60))
    expectEqual(client.data(for: query), [5])
    expect(client.isStale(query))
    simulation.settle()
  }

  @Test("a caller gets a newer answer although the first one turns the observers off")
  func observersThatTurnOff() {
    let client = QueryClient(simulation: simulation)
    let query = counting().enabled { $0.data == nil }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query), refetch: .never)
    let got = Notes<Int>()
    simulation.task { got.add(try await client.fetch(query)) }
    simulation.advance(by: .seconds(1))
    expectEqual(got.all, [2])
    recording.cancel()
  }

  /// A query whose answers come from a cache on the way, as old as it says.
  private func near(_ age: Duration) -> Query<Int> {
    Query<Int>("n") { context in
      context.answer(isOld: age)
      return 9
    }.staleTime(.minutes(5))
  }

  enum FirstLoadEnd: CaseIterable { case cancelled, abandoned }

  /// Invalidates a first load that is then given up.
  private func givenUpFirstLoad(_ end: FirstLoadEnd, _ client: QueryClient) {
    let query = counting()
    let caller = simulation.task { _ = try await client.fetch(query) }
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    if end == .cancelled { client.cancel(query) } else { caller.cancel() }
    simulation.settle()
    expectEqual(client.diagnostics(.query(query)).map(\.fetchStatus), [.idle])
  }

  @Test(
    "a first load that is given up leaves the mark for what comes instead",
    arguments: FirstLoadEnd.allCases
  )
  func aFirstLoadThatIsGivenUp(_ end: FirstLoadEnd) throws {
    let query = counting()
    let other = QueryClient(simulation: simulation)
    other.setData(5, for: query)
    let early = other.export().archive
    simulation.advance(by: .seconds(10))
    let client = QueryClient(simulation: simulation)
    givenUpFirstLoad(end, client)
    simulation.advance(by: .seconds(1))
    expectEqual(client.import(early, for: [.query(query)]).entryCount, 1)
    expectEqual(client.data(for: query), 5)
    expect(client.isStale(query))
    let third = QueryClient(simulation: simulation)
    givenUpFirstLoad(end, third)
    simulation.advance(by: .seconds(1))
    try expectEqual(simulation.run { try await third.fetch(near(.seconds(5))) }, 9)
    expect(third.isStale(query))
    try expectEqual(simulation.run { try await third.fetch(near(.milliseconds(500))) }, 9)
    expect(!third.isStale(query))
  }

  @Test("nor does initial data from before the invalidation clear it")
  func initialDataFromBefore() {
    for isOld in [true, false] {
      let client = QueryClient(simulation: simulation)
      givenUpFirstLoad(.cancelled, client)
      simulation.advance(by: .seconds(1))
      let date = isOld ? simulation.date.addingTimeInterval(-5) : simulation.date
      let query = counting().initialData(3, updatedAt: date).staleTime(.minutes(5)).enabled(false)
      let recording = simulation.record(client.stream(query))
      expectEqual(client.data(for: query), 3)
      expectEqual(client.diagnostics(.query(query)).map(\.isInvalidated), [isOld])
      recording.cancel()
    }
  }

  @Test("to accept what is under way accepts no older answer where nothing is")
  func nothingToAccept() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(0, for: counting())
    simulation.advance(by: .seconds(10))
    client.markInvalidated(.query(counting()), superseding: false)
    simulation.advance(by: .seconds(5))
    try expectEqual(simulation.run { try await client.fetch(near(.seconds(8))) }, 9)
    expect(client.isStale(counting()))
    try expectEqual(simulation.run { try await client.fetch(near(.seconds(2))) }, 9)
    expect(!client.isStale(counting()))
  }

  @Test("a write in between does not let an even older answer count as new")
  func anOlderAnswerAfterAWrite() throws {
    let client = QueryClient(simulation: simulation)
    let query = counting()
    simulation.task { await client.prefetch(query) }
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    client.setData(7, for: query)
    simulation.advance(by: .milliseconds(60))
    expectEqual(client.data(for: query), 1)
    expect(client.isStale(query))
    try expectEqual(simulation.run { try await client.fetch(near(.milliseconds(80))) }, 9)
    expect(client.isStale(query))
    simulation.advance(by: .milliseconds(100))
    try expectEqual(simulation.run { try await client.fetch(near(.milliseconds(20))) }, 9)
    expect(!client.isStale(query))
  }

  @Test func aFetchLearnsThatMoreIsAskedOfItSinceItWaits() {
    let client = QueryClient(simulation: simulation)
    let demands = Notes<String>()
    let query = Query<Int>("n") { context in
      demands.add(context.demand.rawValue)
      if context.attempt == 0 { throw Boom(1) }
      return 1
    }.retry(RetryPolicy.times(1).backoff(.constant(.milliseconds(100))))
    simulation.task { _ = try await client.fetch(query) }
    simulation.advance(by: .milliseconds(50))
    client.markInvalidated(.query(query))
    simulation.advance(by: .milliseconds(100))
    expectEqual(demands.all, ["fresh", "afterInvalidation"])
  }
}
