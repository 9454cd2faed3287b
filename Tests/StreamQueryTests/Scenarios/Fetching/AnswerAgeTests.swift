import Foundation
@_spi(SharedCache) import StreamQuery
import StreamQueryTesting
import Testing

/// A fetch that says how old its answer is, because somebody else has kept it.
struct AnswerAgeTests {
  let simulation = Simulation(seed: 15)

  private func query(
    _ ages: [Duration],
    isOutdated: Bool = false,
    failing failures: Int = 0
  ) -> Query<Int> {
    let calls = Dial(0)
    return Query<Int>("n") { context in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      let call = calls.with { count in
        count += 1
        return count
      }
      if call <= ages.count { context.answer(isOld: ages[call - 1], isOutdated: isOutdated) }
      if call <= failures { throw Boom(call) }
      return call
    }.staleTime(.seconds(10))
  }

  @Test func theStaleTimeBeginsWhenTheAnswerWasNew() throws {
    let client = QueryClient(simulation: simulation)
    let query = query([.seconds(4)])
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(20))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)), at(6_010, .success(1)),
      ]
    )
    expectEqual(recording.values.map(\.isStale), [true, false, true])
  }

  @Test func timeThatPassesAfterItWasSaidCounts() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { context in
      context.answer(isOld: .seconds(4))
      try await Scheduling.current.clock.sleep(for: .seconds(3))
      return 1
    }.staleTime(.seconds(10))
    simulation.run { _ = try? await client.fetch(query) }
    simulation.advance(by: .milliseconds(2_999))
    expect(!client.isStale(query))
    simulation.advance(by: .milliseconds(1))
    expect(client.isStale(query))
  }

  @Test("an age below zero is none, and an absurd one is a hundred years")
  func absurdAges() throws {
    let client = QueryClient(simulation: simulation)
    let young = query([.seconds(-5)])
    simulation.run { _ = try? await client.fetch(young) }
    simulation.advance(by: .milliseconds(9_999))
    expect(!client.isStale(young))
    simulation.advance(by: .milliseconds(1))
    expect(client.isStale(young))
    let old = Query<Int>("old") { context in
      context.answer(isOld: .seconds(Int64.max))
      return 1
    }.staleTime(.seconds(10))
    try expectEqual(simulation.run { try await client.fetch(old) }, 1)
    expect(client.isStale(old))
  }

  @Test func anAnswerThatIsTooOldIsReturnedAndAskedForAgain() throws {
    let client = QueryClient(simulation: simulation)
    let query = query([.seconds(10), .seconds(3)])
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
  }

  @Test func whatAFailedAttemptSaidIsForgotten() throws {
    let client = QueryClient(simulation: simulation)
    let query = query([.seconds(9)], failing: 1)
      .retry(RetryPolicy.times(1).backoff(.constant(.milliseconds(5))))
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
    simulation.advance(by: .seconds(9))
    expect(!client.isStale(query))
  }

  @Test func anOutdatedAnswerLandsAsIfItWereInvalidated() throws {
    let client = QueryClient(simulation: simulation)
    let query = query([.zero], isOutdated: true)
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    expect(client.isStale(query))
    // The next answer says nothing about its age.
    try expectEqual(simulation.run { try await client.fetch(query) }, 2)
    expect(!client.isStale(query))
  }

  @Test func whatIsFoundUnchangedByAnOldAnswerGetsNoOlder() throws {
    let client = QueryClient(simulation: simulation)
    let ages = Dial<[Duration]>([.seconds(60), .seconds(2)])
    let query = Query<Int>("n") { context in
      context.answer(isOld: ages.with { $0.removeFirst() })
      throw NotModified()
    }.staleTime(.seconds(10))
    client.setData(7, for: query)
    let observer = simulation.record(client.stream(query))
    defer { observer.cancel() }
    simulation.advance(by: .seconds(5))
    simulation.run { await client.refetch(query) }
    simulation.advance(by: .milliseconds(4_999))
    expect(!client.isStale(query))
    simulation.advance(by: .milliseconds(1))
    expect(client.isStale(query))
    simulation.run { await client.refetch(query) }
    simulation.advance(by: .milliseconds(7_999))
    expect(!client.isStale(query))
    simulation.advance(by: .milliseconds(1))
    expect(client.isStale(query))
  }

  @Test func anAgedAnswerIsRefreshedAheadByItsAge() throws {
    let client = QueryClient(simulation: simulation)
    let query = query([.seconds(4)]).refreshAhead(.fraction(0.8))
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    simulation.advance(by: .milliseconds(3_980))
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    simulation.advance(by: .milliseconds(20))
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query), 2)
  }

  @Test func aFetchKnowsWhatIsAskedOfIt() throws {
    let client = QueryClient(simulation: simulation)
    let notes = Notes<String>()
    let query = Query<Int>("n") { context in
      notes.add("\(context.demand.rawValue) \(context.staleTime)")
      return 1
    }.staleTime(.seconds(10))
    let stream = simulation.record(client.stream(query))
    simulation.settle()
    simulation.run { await client.refetch(query) }
    simulation.run { await client.invalidate(query) }
    stream.cancel()
    simulation.advance(by: .seconds(10))
    _ = try simulation.run { try await client.fetch(query) }
    simulation.run { await client.invalidate(query) }
    _ = try simulation.run { try await client.fetch(query.staleTime(.infinite)) }
    simulation.run { await client.reset(.query(query)) }
    expectEqual(
      notes.all,
      [
        "fresh 10.0 seconds", "latest 10.0 seconds", "afterInvalidation 10.0 seconds",
        "fresh 10.0 seconds", "afterInvalidation 3155760000.0 seconds",
      ]
    )
  }

  @Test func afterAFailureAnyFreshAnswerWillDoUnlessTheDataWasInvalidated() {
    let client = QueryClient(simulation: simulation)
    let notes = Notes<String>()
    let fails = Dial(false)
    let query = Query<Int>("n") { context in
      notes.add(context.demand.rawValue)
      if fails.value { throw Boom(1) }
      return 1
    }.staleTime(.seconds(10)).retry(0)
    func fetch() { _ = try? simulation.run { try await client.fetch(query) } }
    fetch()
    fails.value = true
    simulation.run { await client.refetch(query) }
    fetch()
    client.markInvalidated(.query(query))
    fetch()
    fetch()
    fails.value = false
    fetch()
    fails.value = true
    simulation.advance(by: .seconds(10))
    fetch()
    fetch()
    let invalidated = Array(repeating: "afterInvalidation", count: 3)
    expectEqual(notes.all, ["fresh", "latest", "fresh"] + invalidated + ["fresh", "fresh"])
  }

  @Test func aTimeoutIsKnownToItsAttempt() {
    let client = QueryClient(simulation: simulation)
    let notes = Notes<String>()
    let clock = simulation.clock
    let query = Query<Int>("n") { context in
      notes.add("\(context.attempt) begins: \(context.timeoutError != nil)")
      do {
        try await clock.sleep(for: .seconds(context.attempt == 0 ? 5 : 1))
      } catch {
        notes.add("\(context.attempt) ends: \(context.timeoutError.map { "\($0)" } ?? "given up")")
        throw error
      }
      return 1
    }.timeout(.seconds(2)).retry(1) { _ in .zero }
    let first = simulation.task("first") { _ = try? await client.fetch(query) }
    simulation.advance(by: .milliseconds(2_500))
    first.cancel()
    simulation.settle()
    let late = #"the fetch of ["n"] took longer than 2.0 seconds"#
    expectEqual(
      notes.all.sorted(),
      [
        "0 begins: false", "0 ends: \(late)", "1 begins: false", "1 ends: given up",
      ]
    )
  }

  @Test func somethingIsDoneAroundTheFetch() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { 1 }
      .staleTime(.seconds(10))
      .aroundFetch { _, fetch in try await fetch() * 10 + 2 }
      .aroundFetch { _, fetch in try await fetch() * 10 + 3 }
    try expectEqual(simulation.run { try await client.fetch(query) }, 123)
    expect(query.options.staleTime != nil)
  }

  @Test func aroundADefaultFetchItIsCalledAndWithoutOneItIsMissing() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>(key: "n").aroundFetch { _, fetch in try await fetch() + 1 }
    #expect(throws: QueryError.missingFetch(key: "[\"n\"]")) {
      try simulation.run { try await client.fetch(query) }
    }
    client.setDefaults(QueryOptions(), for: "n") { _ in 41 }
    try expectEqual(simulation.run { try await client.fetch(query) }, 42)
  }

  @Test func marksAreSetWithoutWaitingForTheRefetch() {
    let client = QueryClient(simulation: simulation)
    let query = query([])
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    client.markInvalidated(.query(query))
    expect(client.isStale(query))
    simulation.advance(by: .seconds(1))
    expect(!client.isStale(query))
    expectEqual(recording.values.last?.data, 2)
  }

  // MARK: Changes before it lands

  /// A query whose answer is merged, while `change` runs, between what it said and its landing.
  private func changing(
    _ said: Dial<FetchAnswer?>,
    _ change: @escaping @Sendable () -> Void
  ) -> Query<Int> {
    let calls = Dial(0)
    return Query<Int>("n") { context in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      said.value = context.upcomingAnswer
      return calls.with { count in
        count += 1
        return count
      }
    }
    .staleTime(.seconds(10))
    .merge { _, new in
      change()
      return new
    }
  }

  @Test func anOutdatedAnswerWithoutAnAgeIsZeroOld() throws {
    let client = QueryClient(simulation: simulation)
    let ages = Notes<Duration>()
    let query = Query<Int>("n") { context in
      context.upcomingAnswer.markOutdated()
      ages.add(context.answerAge)
      return 1
    }
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    expectEqual(ages.all, [.zero])
  }

  @Test(arguments: [true, false])
  func anAnswerThatIsOutdatedBeforeItLandsIsFollowedByOneMore(isObserved: Bool) throws {
    let client = QueryClient(simulation: simulation)
    let (said, isArmed) = (Dial<FetchAnswer?>(nil), Dial(false))
    let query = changing(said) { [weak client] in
      guard
        isArmed.with({ armed in
          defer { armed = false }; return armed
        })
      else { return }
      said.value?.markOutdated()
      client?.markInvalidated("n", superseding: false)
    }
    client.setData(0, for: query)
    let recording = isObserved ? simulation.record(client.stream(query)) : nil
    defer { recording?.cancel() }
    isArmed.value = true
    // Two callers: neither is cancelled.
    let results = Dial<[Int?]>([])
    for _ in 0..<2 {
      simulation.task("fetch") {
        let value = try? await client.fetch(query.staleTime(.zero))
        results.with { $0.append(value) }
      }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(results.value, [1, 1])
    expect(!isArmed.value)
    expectEqual(client.data(for: query), isObserved ? 2 : 1)
    expectEqual(client.isStale(query), !isObserved)
  }

  @Test func whatIsOutdatedAfterItLandedStaysUntilItIsInvalidated() throws {
    let client = QueryClient(simulation: simulation)
    let said = Dial<FetchAnswer?>(nil)
    let query = changing(said) {}
    try expectEqual(simulation.run { try await client.fetch(query) }, 1)
    expectEqual(said.value?.hasLanded, true)
    said.value?.markOutdated()
    expect(!client.isStale(query))
  }

  @Test func anAnswerOfACancelledFetchHasNotLanded() {
    let client = QueryClient(simulation: simulation)
    let said = Dial<FetchAnswer?>(nil)
    let query = changing(said) { [weak client] in client?.cancel("n") }
    client.setData(0, for: query)
    simulation.run { _ = try? await client.fetch(query.staleTime(.zero)) }
    expectEqual(said.value?.hasLanded, false)
    expectEqual(client.data(for: query), 0)
  }

  // MARK: Streams

  /// A stream that says something, and then has an element every ten milliseconds: three, or more
  /// without an end.
  private func streamed(
    endless: Bool,
    _ say: @escaping @Sendable (FetchContext) -> Void
  ) -> Query<[Int]> {
    let clock = simulation.clock
    return Query<[Int]>.streamed("parts", endless: endless) { context in
      say(context)
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          let number = count.with { count in
            count += 1
            return count
          }
          guard endless || number <= 3 else { return nil }
          try await clock.sleep(for: .milliseconds(10))
          return number
        }
      )
    }
    .staleTime(.minutes(5))
  }

  @Test(arguments: [false, true])
  func elementsAreAsOldAsTheirStreamSays(endless: Bool) {
    let client = QueryClient(simulation: simulation)
    let query = streamed(endless: endless) { $0.answer(isOld: .seconds(60)) }
    client.setData([0], for: query)
    simulation.advance(by: .seconds(100))
    client.markInvalidated(.query(query), refetch: .never)
    simulation.advance(by: .seconds(10))
    let said = simulation.date.addingTimeInterval(-60)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(35))
    let shown = recording.values.filter { $0.data != nil }
    expectEqual(shown.compactMap { $0.data?.count }.prefix(3), [1, 2, 3])
    #expect(shown.allSatisfy { $0.isStale && $0.dataUpdatedAt == said })
    expect(client.isStale(query))
    recording.cancel()
    simulation.settle()
  }

  @Test func elementsFromAfterTheInvalidationAreFreshByTheirAge() {
    let client = QueryClient(simulation: simulation)
    let query = streamed(endless: false) { $0.answer(isOld: .seconds(5)) }
    client.setData([0], for: query)
    simulation.advance(by: .seconds(100))
    client.markInvalidated(.query(query), refetch: .never)
    simulation.advance(by: .seconds(10))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(294_999))
    #expect(recording.values.filter { $0.data != nil }.allSatisfy { !$0.isStale })
    expect(!client.isStale(query))
    simulation.advance(by: .milliseconds(1))
    expect(client.isStale(query))
    recording.cancel()
    simulation.settle()
  }

  @Test func anEndlessStreamThatIsOutdatedBeforeItsFirstElementIsFollowedByOneMore() {
    let client = QueryClient(simulation: simulation)
    let said = Dial<FetchAnswer?>(nil)
    let query = streamed(endless: true) { said.value = $0.upcomingAnswer }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    said.value?.markOutdated()
    client.markInvalidated(.query(query), superseding: false)
    simulation.advance(by: .milliseconds(20))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .pending(isFetching: true)),
        at(20, .success([1], isFetching: true)),
      ]
    )
    expectEqual(recording.values.last?.isStale, false)
    recording.cancel()
    simulation.settle()
  }

  @Test func anElementThatIsOutdatedAfterItLandedSaysNothingOfTheNext() {
    let client = QueryClient(simulation: simulation)
    let said = Dial<FetchAnswer?>(nil)
    let query = streamed(endless: true) { said.value = $0.upcomingAnswer }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    said.value?.markOutdated()
    simulation.advance(by: .milliseconds(10))
    expectEqual(recording.values.compactMap { $0.data?.count }, [1, 2])
    expect(!client.isStale(query))
    recording.cancel()
    simulation.settle()
  }

  // MARK: Pages

  /// Two pages that were invalidated ten seconds ago; each call of their fetch says something or
  /// fails.
  private func invalidatedPages(
    in client: QueryClient,
    _ each: @escaping @Sendable (_ call: Int, FetchContext) throws -> Void
  ) throws -> InfiniteQuery<Int, Int> {
    let calls = Dial(0)
    let query = InfiniteQuery<Int, Int>("pages", initialPageParam: 0) { page, context in
      let call = calls.with { count in
        count += 1
        return count
      }
      try each(call, context)
      return page
    } nextPageParam: { pages in
      pages.count < 2 ? pages.count : nil
    }
    .staleTime(.minutes(5)).retry(RetryPolicy.times(1).backoff(.constant(.milliseconds(5))))
    client.setData(try #require(Pages([0, 1], params: [0, 1])), for: query)
    simulation.advance(by: .seconds(100))
    client.markInvalidated(.query(query), refetch: .never)
    simulation.advance(by: .seconds(10))
    return query
  }

  @Test func pagesAreAsOldAsTheOldest() throws {
    let client = QueryClient(simulation: simulation)
    let query = try invalidatedPages(in: client) { call, context in
      context.answer(isOld: call == 1 ? .seconds(60) : .zero)
    }
    let said = simulation.date.addingTimeInterval(-60)
    try expectEqual(simulation.run { try await client.fetch(query) }.pages, [0, 1])
    expect(client.isStale(query))
    expectEqual(client.result(for: query).dataUpdatedAt, said)
    // The next pages say that they are new.
    try expectEqual(simulation.run { try await client.fetch(query) }.pages, [0, 1])
    expect(!client.isStale(query))
  }

  @Test func aRetryKeepsTheAgeOfThePagesThatItKeeps() throws {
    let client = QueryClient(simulation: simulation)
    let query = try invalidatedPages(in: client) { call, context in
      if call == 1 { context.answer(isOld: .seconds(60)) }
      if call == 2 { throw Boom(call) }
    }
    let said = simulation.date.addingTimeInterval(-60)
    try expectEqual(simulation.run { try await client.fetch(query) }.pages, [0, 1])
    expect(client.isStale(query))
    expectEqual(client.result(for: query).dataUpdatedAt, said)
  }

  @Test func thePageThatFailedHasNoAge() throws {
    let client = QueryClient(simulation: simulation)
    let query = try invalidatedPages(in: client) { call, context in
      guard call == 2 else { return }
      context.answer(isOld: .seconds(60))
      throw Boom(call)
    }
    try expectEqual(simulation.run { try await client.fetch(query) }.pages, [0, 1])
    expect(!client.isStale(query))
    expectEqual(client.result(for: query).dataUpdatedAt, simulation.date)
  }

  @Test func aPageThatIsOutdatedIsSoAfterARetry() throws {
    let client = QueryClient(simulation: simulation)
    let said = Dial<FetchAnswer?>(nil)
    let query = try invalidatedPages(in: client) { call, context in
      if call == 1 { said.value = context.upcomingAnswer }
      if call == 2 { throw Boom(call) }
      if call == 3 { said.value?.markOutdated() }
    }
    try expectEqual(simulation.run { try await client.fetch(query) }.pages, [0, 1])
    expectEqual(said.value?.hasLanded, true)
    expect(client.isStale(query))
  }

  @Test func pagesThatAreFetchedOnceMoreWithinTheAttemptHaveTheirOwnAge() throws {
    let client = QueryClient(simulation: simulation)
    let query = try invalidatedPages(in: client) { call, context in
      if call <= 2 { context.answer(isOld: .seconds(60)) }
    }
    .aroundFetch { _, fetch in
      _ = try await fetch()
      return try await fetch()
    }
    try expectEqual(simulation.run { try await client.fetch(query) }.pages, [0, 1])
    expect(!client.isStale(query))
    expectEqual(client.result(for: query).dataUpdatedAt, simulation.date)
  }
}
