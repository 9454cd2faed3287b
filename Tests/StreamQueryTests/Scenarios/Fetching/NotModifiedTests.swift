import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

/// A fetch that finds its data still good.
struct NotModifiedTests {
  let simulation = Simulation(seed: 14)

  /// Gives 10 at first, and then says that it is still good; each call takes 10 ms.
  private func query(_ seen: Notes<Int?> = Notes()) -> Query<Int> {
    Query<Int>("n") { context in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      let previous = context.previous(as: Int.self)
      seen.add(previous)
      if previous != nil { throw NotModified() }
      return 10
    }
  }

  @Test func theDataStaysAndItsAgeBeginsAnew() throws {
    let client = QueryClient(simulation: simulation)
    let query = query().staleTime(.seconds(1))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(2))
    expect(client.isStale(query))
    try expectEqual(simulation.run { try await client.fetch(query) }, 10)
    expect(!client.isStale(query))
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(10)), at(1_010, .success(10)),
        at(2_000, .success(10, isFetching: true)), at(2_010, .success(10)),
        at(3_010, .success(10)),
      ]
    )
    expectEqual(recording.values.map(\.isStale), [true, false, true, true, false, true])
    let dates = recording.values.compactMap(\.dataUpdatedAt)
    expectEqual(dates.last?.timeIntervalSince(dates[0]), 2)
  }

  @Test func itIsASuccessThatClearsErrorAndInvalidation() {
    let client = QueryClient(simulation: simulation)
    let answers = Dial<[Result<Int, any Error>]>([
      .success(1), .failure(Boom(1)), .failure(Boom(2)), .failure(NotModified()),
    ])
    let query = Query<Int>("n") { try answers.with { $0.removeFirst() }.get() }
      .staleTime(.infinite).retry(RetryPolicy.times(1).backoff(.constant(.milliseconds(5))))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    // Fails twice.
    simulation.run { await client.refetch(query) }
    let failed = recording.values.last
    expectEqual(failed?.failureCount, 2)
    simulation.advance(by: .milliseconds(10))
    simulation.run { await client.invalidate(query) }
    let last = recording.values.last
    #expect(recording.timeline.last == at(15, .success(1)))
    expectEqual(last?.failureCount, 0)
    expectNil(last?.failureReason)
    expectEqual(last?.isStale, false)
    expectEqual(last?.errorUpdateCount, 1)
    expectEqual(last?.errorUpdatedAt, failed?.errorUpdatedAt)
    expectEqual(client.diagnostics("n").map(\.dataUpdateCount), [2])
  }

  @Test func aRetryMayFindItToo() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { context in
      if context.attempt == 0 { throw Boom() }
      throw NotModified()
    }.retry(RetryPolicy.times(3).backoff(.constant(.milliseconds(5))))
    client.setData(7, for: query)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline.last == at(5, .success(7)))
    expectEqual(recording.values.last?.failureCount, 0)
  }

  @Test("without data there is nothing to keep: an error of its own, which is not retried")
  func withoutDataItIsAFailure() {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<Int>()
    let query = Query<Int>("n") { context in
      calls.add(context.attempt)
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      throw NotModified()
    }.retry(5)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .minutes(1))
    let missing = QueryError.notModifiedWithoutData(key: #"["n"]"#)
    expectEqual(calls.all, [0])
    #expect(recording.timeline == [at(0, .pending(isFetching: true)), at(10, .failure(missing))])
    expectEqual(recording.values.last?.failureCount, 1)
    #expect(throws: missing) { try simulation.run { try await client.fetch(query) } }
  }

  @Test("the issue's case: what a mutation lays over the data is not landed as the truth")
  func optimisticChangesDoNotBecomeTheTruth() {
    let client = QueryClient(simulation: simulation)
    let seen = Notes<Int?>()
    let query = query(seen).staleTime(.infinite)
    let add = Mutation<Void, Void>("add") { _, _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(100))
      throw Boom()
    }.optimistic { _, changes in
      changes.update(query) { $0? += 1 }
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(20))
    simulation.task { try await client.mutate(add, with: ()) }
    simulation.advance(by: .milliseconds(20))
    for _ in 0..<2 { simulation.run { await client.refetch(query) } }
    expectEqual(seen.all, [nil, 10, 10])
    expectEqual(client.data(for: query), 11)
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query), 10)
    #expect(recording.values.compactMap(\.data).allSatisfy { $0 == 10 || $0 == 11 })
  }

  @Test func aSuccessfulMutationsLayersGoWithIt() {
    let client = QueryClient(simulation: simulation)
    let query = query().staleTime(.infinite)
    let add = Mutation<Void, Void>("add") { _, _ in }
      .optimistic { _, changes in changes.update(query) { $0? += 1 } }
      .onSuccess { _, context in await context.client.invalidate(query) }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(20))
    simulation.task { try await client.mutate(add, with: ()) }
    simulation.advance(by: .milliseconds(100))
    // The server says that nothing changed, so nothing did.
    #expect(recording.timeline.last == at(30, .success(10)))
    expectEqual(recording.values.last?.isOptimistic, false)
  }

  @Test func aValueThatWasWrittenMeanwhileStaysAndKeepsItsAge() {
    let client = QueryClient(simulation: simulation)
    let query = query().staleTime(.seconds(1))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(2))
    simulation.task { await client.refetch(query) }
    simulation.advance(by: .milliseconds(5))
    client.setData(3, for: query, updatedAt: simulation.date.addingTimeInterval(-5))
    simulation.advance(by: .milliseconds(500))
    #expect(recording.timeline.last == at(2_010, .success(3)))
    expect(client.isStale(query))
    // The next one is asked about the written value.
    simulation.run { await client.refetch(query) }
    expect(!client.isStale(query))
  }

  @Test func eventsTellItFromAValue() {
    let client = QueryClient(simulation: simulation)
    let events = simulation.record(client.events)
    simulation.run { await client.prefetch(query()) }
    simulation.run { await client.prefetch(query()) }
    let fetched = events.values.filter { if case .fetchSucceeded = $0.kind { true } else { false } }
    expectEqual(fetched.map(\.isNotModified), [false, true])
    expectEqual(
      fetched.last?.description,
      "found unchanged [\"n\"] for manual in \(Duration.milliseconds(10))"
    )
  }

  @Test func askingForAnotherTypeIsReported() {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.onMisuse = { told.add("\($0)") }
    }
    let query = Query<Int>("n") { context in
      let wrong: String? = context.previous()
      return wrong == nil ? 1 : 2
    }
    expectEqual(simulation.run { try? await client.fetch(query) }, 1)
    expectEqual(told.count, 1)
    expectEqual(told.all.first?.contains("Swift.String"), true)
  }

  // MARK: Pages

  /// Pages of one word each, of which the server knows the present version.
  private func feed(_ versions: Dial<[Int]>, _ asked: Notes<String>) -> InfiniteQuery<String, Int> {
    InfiniteQuery<String, Int>("feed", initialPageParam: 0) { page, context in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      let present = "p\(page)v\(versions.value[page])"
      let previous: String? = context.previous()
      let count = context.previous(as: Pages<String, Int>.self)?.count ?? 0
      asked.add("\(page): \(previous ?? "none") of \(count)")
      if previous == present { throw NotModified() }
      return present
    } nextPageParam: { run in
      run.lastParam < 2 ? run.lastParam + 1 : nil
    }.staleTime(.infinite)
  }

  @Test func eachPageIsKeptByItself() {
    let client = QueryClient(simulation: simulation)
    let versions = Dial([1, 1, 1])
    let asked = Notes<String>()
    let feed = feed(versions, asked)
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: .milliseconds(10))
    for _ in 0..<2 { simulation.run { _ = try? await client.fetchNextPage(of: feed) } }
    expectEqual(recording.values.last?.pages, ["p0v1", "p1v1", "p2v1"])
    versions.value = [1, 2, 1]
    simulation.run { await client.invalidate(feed) }
    expectEqual(recording.values.last?.pages, ["p0v1", "p1v2", "p2v1"])
    expectEqual(recording.values.last?.isStale, false)
    expectEqual(asked.all.suffix(3), ["0: p0v1 of 3", "1: p1v1 of 3", "2: p2v1 of 3"])
    expectEqual(asked.all.prefix(3), ["0: none of 0", "1: none of 1", "2: none of 2"])
  }

  @Test func whereNoPageChangedNothingDid() {
    let client = QueryClient(simulation: simulation)
    let feed = feed(Dial([1, 1, 1]), Notes())
    let events = simulation.record(client.events)
    for query in [feed, feed.refetchingFirstPageOnly()] {
      simulation.run { await client.invalidate(.all, refetch: .never) }
      simulation.run { await client.prefetch(query, pages: 2) }
      let before = client.data(for: feed)
      simulation.advance(by: .seconds(1))
      simulation.run { await client.invalidate(.all, refetch: .all) }
      expectEqual(client.data(for: feed), before)
      expectEqual(client.diagnostics("feed").map(\.age), [.zero])
      let success = events.values.last { if case .fetchSucceeded = $0.kind { true } else { false } }
      expectEqual(success?.isNotModified, true)
    }
  }

  @Test func aPageThatIsNotCachedCannotBeKept() {
    let client = QueryClient(simulation: simulation)
    let feed = InfiniteQuery<String, Int>("feed", initialPageParam: 0) { page, _ in
      if page > 0 { throw NotModified() }
      return "p\(page)"
    } nextPageParam: {
      $0.lastParam + 1
    }
    simulation.run { await client.prefetch(feed) }
    let result = try? simulation.run { try await client.observer(of: feed).fetchNextPage() }
    expectEqual(result?.pages, ["p0"])
    #expect(
      result?.error as? QueryError == .notModifiedWithoutData(key: #"["feed"]"#)
    )
  }

  // MARK: Streams

  @Test(arguments: [StreamedRefetch.reset, .append, .replace])
  func aStreamThatThrowsItKeepsWhatWasThere(_ mode: StreamedRefetch) {
    let client = QueryClient(simulation: simulation)
    let given = Notes<[Int]?>()
    let query = Query<[Int]>.streamed("n", refetch: mode) { context in
      given.add(context.previous())
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      if given.count > 1 { throw NotModified() }
      return AsyncStream { continuation in
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish()
      }
    }.staleTime(.seconds(1))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(2))
    simulation.run { await client.refetch(query) }
    expectEqual(given.all, [nil, [1, 2]])
    #expect(recording.timeline.last == at(2_010, .success([1, 2])))
    expectEqual(
      recording.timeline.dropLast().last,
      at(
        2_000,
        mode == .reset ? .pending(isFetching: true) : .success([1, 2], isFetching: true)
      )
    )
    expectEqual(recording.values.last?.isStale, false)
  }

  @Test(arguments: [StreamedRefetch.reset, .append, .replace])
  func aPartThatAStreamLeftIsNothingToKeep(mode: StreamedRefetch) throws {
    let client = QueryClient(simulation: simulation)
    let (calls, clock) = (Dial(0), simulation.clock)
    let query = Query<[Int]>.streamed("n", refetch: mode) { _ in
      calls.with { $0 += 1 }
      if calls.value == 2 { throw NotModified() }
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          try await clock.sleep(for: .milliseconds(10))
          let number = count.with { count in
            count += 1
            return count
          }
          return number <= 2 ? number : nil
        }
      )
    }.staleTime(.minutes(5))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    recording.cancel()
    simulation.settle()
    expectEqual(client.data(for: query), [1])
    let missing = QueryError.notModifiedWithoutData(key: #"["n"]"#)
    #expect(throws: missing) { try simulation.run { try await client.fetch(query) } }
    expect(client.isStale(query))
    let whole = mode == .append ? [1, 1, 2] : [1, 2]
    try expectEqual(simulation.run { try await client.fetch(query) }, whole)
  }
}
