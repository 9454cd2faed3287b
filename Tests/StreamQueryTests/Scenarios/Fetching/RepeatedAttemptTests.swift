import StreamQuery
import StreamQueryTesting
import Testing

/// Performs once more after an error, as one does with a new token; or always twice.
private struct Again: FetchCompanion, MutationCompanion {
  var always = false

  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    try await again(perform)
  }

  func attempt<Output: Sendable>(
    _ context: MutationContext,
    perform: AccompaniedAttempt<Output>
  ) async throws -> Output {
    try await again(perform)
  }

  private func again<Value>(_ perform: AccompaniedAttempt<Value>) async throws -> Value {
    if always {
      _ = try? await perform()
    } else {
      do { return try await perform() } catch is Boom {}
    }
    return try await perform()
  }
}

/// What is around an attempt runs it once more: that is a retry within the attempt.
struct RepeatedAttemptTests {
  private typealias Numbers = InfiniteQuery<Int, Int>

  let simulation = Simulation(seed: 31)
  let calls = Notes<Int>()

  private func client(always: Bool = false) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.fetchCompanions.append(Again(always: always))
      $0.mutationCompanions.append(Again(always: always))
    }
  }

  @Test func aFetchThatFailedIsFetchedAgain() throws {
    let client = client()
    let fetch = ScriptedFetch<Int>(.failure(Boom(1), after: .seconds(1)), .value(2))
    let events = simulation.record(client.events)
    try expectEqual(simulation.run { try await client.fetch(Query("n", fetch: fetch)) }, 2)
    expectEqual(fetch.callCount, 2)
    #expect(!events.values.contains { if case .attemptFailed = $0.kind { true } else { false } })
  }

  @Test func theLastAnswerCounts() throws {
    let client = client(always: true)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    try expectEqual(simulation.run { try await client.fetch(Query("n", fetch: fetch)) }, 2)
  }

  /// Pages keep how far they got, for a retry: the first answer must not be the second one, too.
  @Test func pagesAreFetchedAgain() throws {
    let client = client(always: true)
    let query = Numbers("pages", initialPageParam: 0) { [calls] page, _ in
      calls.add(page)
      return calls.count
    } nextPageParam: { pages in
      pages.count < 2 ? pages.count : nil
    }
    let first = try simulation.run { try await client.fetch(query) }
    expectEqual(first.pages, [2])
    let both = try simulation.run { try await client.fetchNextPage(of: query) }
    expectEqual(calls.all, [0, 0, 1, 1])
    expectEqual(both.data?.pages, [2, 4])
    let all = try simulation.run { try await client.fetch(query) }
    expectEqual(calls.all, [0, 0, 1, 1, 0, 1, 0, 1])
    expectEqual(all.pages, [7, 8])
  }

  @Test func pagesGoOnWithThePageThatFailed() throws {
    let client = client()
    let query = Numbers("pages", initialPageParam: 0) { [calls] page, _ in
      calls.add(page)
      if calls.count == 3 { throw Boom(1) }
      return page
    } nextPageParam: { pages in
      pages.count < 2 ? pages.count : nil
    }
    _ = try simulation.run { try await client.fetch(query) }
    _ = try simulation.run { try await client.fetchNextPage(of: query) }
    let all = try simulation.run { try await client.fetch(query) }
    expectEqual(calls.all, [0, 1, 0, 0, 1])
    expectEqual(all.pages, [0, 1])
  }

  @Test(arguments: [StreamedRefetch.reset, .append, .replace])
  func aStreamBeginsAgainOverTheDataThatItFoundFirst(mode: StreamedRefetch) throws {
    let client = client(always: true)
    let query = Query<[Int]>.streamed("n", refetch: mode) { [calls] _ in
      calls.add(0)
      return AsyncStream<Int> { continuation in
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
      }
    }
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    let both = mode == .append ? [1, 2, 3, 1, 2, 3] : [1, 2, 3]
    try expectEqual(simulation.run { try await client.fetch(query) }, both)
    expectEqual(calls.count, 4)
  }

  @Test(arguments: [StreamedRefetch.reset, .append, .replace])
  func anEmptyStreamDoesNotKeepWhatWasRefusedBefore(mode: StreamedRefetch) throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<[Int]>.streamed("n", refetch: mode) { [calls] _ in
      calls.add(0)
      let numbers = calls.count == 1 ? [1, 2, 3] : []
      return AsyncStream<Int> { continuation in
        for number in numbers { continuation.yield(number) }
        continuation.finish()
      }
    }
    .aroundFetch { [calls] _, fetch in
      let numbers = try await fetch()
      if calls.count == 1 { throw Boom(1) }
      return numbers
    }
    .retry(1) { _ in .seconds(1) }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(2))
    expectEqual(calls.count, 2)
    expectEqual(recording.values.last?.data, [])
    expectEqual(recording.values.last?.isFetching, false)
    recording.cancel()
  }

  @Test func whatWasSaidOfAnEarlierAnswerIsNotSaidOfALaterOne() throws {
    let client = client(always: true)
    let query = Query<Int>("n") { [calls] context in
      calls.add(0)
      if calls.count == 1 { context.answer(isOld: .minutes(5)) }
      return calls.count
    }
    _ = try simulation.run { try await client.fetch(query) }
    let result = client.result(for: query)
    expectEqual(result.data, 2)
    expectEqual(result.dataUpdatedAt, simulation.date)
  }

  @Test func soDoesWhatIsAroundASingleFetch() throws {
    let client = QueryClient(simulation: simulation)
    let query = Numbers("pages", initialPageParam: 0) { [calls] page, _ in
      calls.add(page)
      return calls.count
    } nextPageParam: { _ in
      nil
    }
    .aroundFetch { _, fetch in
      _ = try await fetch()
      return try await fetch()
    }
    let pages = try simulation.run { try await client.fetch(query) }
    expectEqual(pages.pages, [2])
  }

  @Test func theWorkOfAMutationIsDoneAgainWithTheSameKey() throws {
    let client = client()
    let keys = Notes<String>()
    let events = simulation.record(client.events)
    let mutation = Mutation<Int, Int>("m") { [calls] input, context in
      calls.add(input)
      keys.add("\(context.idempotencyKey) \(context.attempt)")
      if calls.count == 1 { throw Boom(1) }
      return input + 100
    }
    try expectEqual(simulation.run { try await client.mutate(mutation, with: 1) }, 101)
    expectEqual(calls.all, [1, 1])
    expectEqual(Set(keys.all).count, 1)
    expectEqual(client.run(of: mutation).failureCount, 0)
    #expect(
      !events.values.contains {
        if case .mutation(.attemptFailed) = $0.kind { true } else { false }
      }
    )
  }
}
