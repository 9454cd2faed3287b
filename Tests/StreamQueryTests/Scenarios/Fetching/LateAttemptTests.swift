import StreamQuery
import StreamQueryTesting
import Testing

/// Two elements of a script, in a sequence that does not ask whether it was cancelled.
private struct ScriptedElements: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    let script: ScriptedFetch<Int>
    var remaining = 2

    mutating func next() async throws -> Int? {
      guard remaining > 0 else { return nil }
      remaining -= 1
      return try await script()
    }
  }

  let script: ScriptedFetch<Int>

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(script: script) }
}

/// Gives up after a second, and leaves the fetch behind.
private struct Impatient: FetchCompanion {
  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    guard context.attempt == 0 else { return try await perform() }
    Task(executorPreference: Scheduling.current.executor) { _ = try? await perform() }
    try await Scheduling.current.clock.sleep(for: .seconds(1))
    throw Boom()
  }
}

/// Asks once more after an error, also if the attempt is over.
private struct Persistent: FetchCompanion {
  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    do { return try await perform() } catch is Boom {}
    return try await perform()
  }
}

/// An attempt that has failed, and whose code goes on beside the next attempt.
struct LateAttemptTests {
  let simulation = Simulation(seed: 37)

  /// An infinite query of so many pages, whose calls follow a script.
  private func feed(
    _ script: ScriptedFetch<String>,
    count: Int = 1
  ) -> InfiniteQuery<String, Int> {
    InfiniteQuery<String, Int>("feed", initialPageParam: 0) { _, _ in
      try await script()
    } nextPageParam: { pages in
      pages.count < count ? pages.count : nil
    }
    .timeout(.seconds(2)).retry(1)
  }

  /// A page that comes when its attempt has failed, but before the next one begins after 3 s.
  private static func late(_ seconds: Double) -> ScriptedFetch<String>.Step {
    .value("late", after: .seconds(seconds), ignoringCancellation: true)
  }

  // MARK: Streams

  /// The element comes after 4 s, when the second attempt is at work.
  @Test func anElementThatIsTooLateIsNotShown() {
    let client = QueryClient(simulation: simulation)
    let script = ScriptedFetch<Int>(
      .value(1, after: .seconds(4), ignoringCancellation: true),
      .value(10, after: .seconds(1.5)),
      .value(11, after: .seconds(1))
    )
    let query = Query<[Int]>.streamed("n") { _ in ScriptedElements(script: script) }
      .timeout(.seconds(2)).retry(1)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(20))
    expectEqual(Set(recording.values.compactMap(\.data)), [[10], [10, 11]])
    expectEqual(recording.values.last?.data, [10, 11])
    recording.cancel()
  }

  /// Nor does an element of the first attempt save the second one from its own timeout.
  @Test func anElementThatIsTooLateIsNoAnswerOfTheNextAttempt() {
    let client = QueryClient(simulation: simulation)
    let script = ScriptedFetch<Int>(
      .value(1, after: .seconds(4), ignoringCancellation: true),
      .never
    )
    let query = Query<[Int]>.streamed("n") { _ in ScriptedElements(script: script) }
      .timeout(.seconds(2)).retry(1)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(20))
    expectNil(recording.values.last?.data)
    expectEqual(recording.values.last?.isError, true)
    recording.cancel()
  }

  // MARK: Pages

  @Test func aPageThatIsTooLateIsNoAnswer() throws {
    let client = QueryClient(simulation: simulation)
    let script = ScriptedFetch<String>(Self.late(2.5), .value("new"))
    let query = feed(script)
    let pages = try simulation.run { try await client.fetch(query) }
    expectEqual(pages.pages, ["new"])
    expectEqual(script.callCount, 2)
  }

  @Test func aPageThatIsTooLateIsNotAdded() throws {
    let client = QueryClient(simulation: simulation)
    let script = ScriptedFetch<String>(Self.late(2.5), .value("new"))
    let query = feed(script, count: 2)
    client.setData(Pages("old", param: 0), for: query)
    let result = try simulation.run { try await client.fetchNextPage(of: query) }
    expectEqual(result.data?.pages, ["old", "new"])
    expectEqual(script.callCount, 2)
  }

  /// Otherwise the list would count as newer than the invalidation, and its first page would be older.
  @Test(arguments: [AbandonmentPolicy.cancel, .finish])
  func pagesGoOnFromNoPageThatIsTooLate(_ abandonment: AbandonmentPolicy) throws {
    let client = QueryClient(simulation: simulation)
    let script = ScriptedFetch<String>(Self.late(2.4), .value("a"), .value("b"))
    let query = feed(script, count: 2).onAbandonment(abandonment)
    client.setData(try #require(Pages(["x", "y"], params: [0, 1])), for: query)
    let caller = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .seconds(2.7))
    simulation.run { await client.invalidate(query, refetch: .never) }
    let pages = try simulation.run { try await caller.value }
    expectEqual(pages.pages, ["a", "b"])
    expectEqual(script.callCount, 3)
    expect(!client.isStale(query.staleTime(.minutes(1))))
  }

  /// Pages that came in time are kept for the next attempt, as ever.
  @Test func pagesGoOnFromThoseThatCameInTime() throws {
    let client = QueryClient(simulation: simulation)
    let script = ScriptedFetch<String>(
      .value("a", after: .seconds(1)),
      Self.late(1.5),
      .value("b", after: .seconds(1))
    )
    let query = feed(script, count: 2)
    let pages = try simulation.run { try await client.fetch(query, pages: 2) }
    expectEqual(pages.pages, ["a", "b"])
    expectEqual(script.callCount, 3)
    expectEqual(simulation.now, .seconds(4))
  }

  // MARK: Companions

  @Test func aPageOfAFetchThatWasLeftBehindIsNoAnswer() throws {
    let client = QueryClient(simulation: simulation) { $0.fetchCompanions.append(Impatient()) }
    let script = ScriptedFetch<String>(.value("late", after: .seconds(1.5)), .value("new"))
    let query = feed(script)
    let pages = try simulation.run { try await client.fetch(query) }
    expectEqual(pages.pages, ["new"])
    expectEqual(script.callCount, 2)
  }

  /// The first attempt asks again after 4 s, and the second one says after 4.5 s how old its answer is.
  @Test func anAttemptThatAsksAgainTooLateDoesNotHideHowOldAnAnswerIs() throws {
    let client = QueryClient(simulation: simulation) { $0.fetchCompanions.append(Persistent()) }
    let script = ScriptedFetch<Int>(
      .failure(Boom(), after: .seconds(4), ignoringCancellation: true),
      .never
    )
    let query = Query<Int>("n") { context in
      guard context.attempt > 0 else { return try await script() }
      try await Scheduling.current.clock.sleep(for: .seconds(1.5))
      context.answer(isOld: .minutes(5))
      return 7
    }
    .timeout(.seconds(2)).retry(1).staleTime(.minutes(1))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    expectEqual(simulation.now, .seconds(4.5))
    expect(client.isStale(query))
  }
}
