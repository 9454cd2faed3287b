import StreamQueryTesting
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// Callers whose fetch is replaced while they wait for it.
@Suite("Contract law 6: a fetch that is replaced takes its callers along") struct ReplacedFetchTests
{
  private let simulation = Simulation()
  private let calls = Notes<Duration>()

  /// The ways to wait for a fetch over data.
  enum Caller: CaseIterable {
    case fetch, fetchThrowing, fetchInTime, prefetch
    case handle, handleThrowing, bulk, bulkThrowing, invalidation, invalidationThrowing

    /// Waits for a fetch, and says what is there afterwards.
    func wait(
      _ client: QueryClient,
      _ observer: QueryObserver<Int>,
      superseding: Bool
    ) async throws -> Int? {
      let query = observer.query
      switch self {
      case .fetch: return try await client.fetch(query)
      case .fetchThrowing: return try await client.fetch(query, throwOnError: true)
      case .fetchInTime: return try await client.fetch(query, timeout: .seconds(9))
      case .prefetch: await client.prefetch(query)
      case .handle: return try await observer.refetch(superseding: superseding).data
      case .handleThrowing:
        return try await observer.refetch(superseding: superseding, throwOnError: true).data
      case .bulk: await client.refetch(.all, superseding: superseding)
      case .bulkThrowing:
        try await client.refetch(.all, superseding: superseding, throwOnError: true)
      case .invalidation: await client.invalidate(.all, superseding: superseding)
      case .invalidationThrowing:
        try await client.invalidate(.all, superseding: superseding, throwOnError: true)
      }
      return client.data(for: query)
    }
  }

  /// What replaces a fetch over data.
  enum Means: CaseIterable {
    case invalidation, trigger, bulk, handle, buttonOfAHandle, reset

    func replace(_ client: QueryClient, _ observer: QueryObserver<Int>, _ simulation: Simulation) {
      switch self {
      case .invalidation: simulation.task { await client.invalidate(observer.query) }
      case .trigger: client.markInvalidated(.all)
      case .bulk: simulation.task { await client.refetch(.all) }
      case .handle: simulation.task { _ = try? await observer.refetch() }
      case .buttonOfAHandle: observer.startRefetch()
      case .reset: simulation.task { await client.reset(.all) }
      }
      simulation.settle()
    }
  }

  /// A query whose n-th fetch brings n after 10 ms.
  private var query: Query<Int> {
    Query("n") { [calls, clock = simulation.clock] in
      calls.add(clock.now.offset)
      let number = calls.count
      try await clock.sleep(for: .milliseconds(10))
      return number
    }.staleTime(.infinite)
  }

  /// An observed query with data that is known to be old and that nobody fetches.
  private func observed(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> (QueryClient, QueryObserver<Int>) {
    let client = QueryClient(simulation: simulation, configure: configure)
    client.setData(0, for: query)
    let observer = client.observer(of: query)
    client.markInvalidated(.all, refetch: .never)
    return (client, observer)
  }

  private func note(_ outcomes: Notes<String>, _ body: () async throws -> Int?) async {
    let outcome: String
    do {
      outcome = "\(try await body() ?? -1)"
    } catch { outcome = "\(type(of: error))" }
    outcomes.add("\(outcome) at \(Int(simulation.now / .milliseconds(1)))")
  }

  @Test(arguments: Caller.allCases, Means.allCases)
  func callersMoveAlongToTheFetchThatTakesThePlaceOfTheirs(_ caller: Caller, _ means: Means) {
    let (client, observer) = observed()
    let outcomes = Notes<String>()
    for superseding in [true, false] {
      simulation.task {
        await self.note(outcomes) {
          try await caller.wait(client, observer, superseding: superseding)
        }
      }
      simulation.advance(by: .milliseconds(2))
    }
    for _ in 0..<2 {
      means.replace(client, observer, simulation)
      simulation.advance(by: .milliseconds(2))
    }
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcomes.all, ["3 at 16", "3 at 16"])
    expectEqual(calls.count, 3)
    withExtendedLifetime(observer) {}
  }

  @Test func aCallerThatMovedAlongKeepsTheFetchWhenNobodyElseWantsIt() {
    let (client, observer) = observed()
    let outcomes = Notes<String>()
    for _ in 0..<2 {
      simulation.task { await self.note(outcomes) { try await client.fetch(self.query) } }
    }
    simulation.advance(by: .milliseconds(2))
    observer.startRefetch()
    let tasks = [observer.stream].map { simulation.record($0) }
    simulation.advance(by: .milliseconds(2))
    // The observer's stream is cancelled, and with it the observation.
    tasks.forEach { $0.cancel() }
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcomes.all, ["2 at 12", "2 at 12"])
  }

  @Test func itsOwnCancellationEndsTheWaitOfACallerThatMovedAlong() {
    let (client, observer) = observed()
    let outcomes = Notes<String>()
    let tasks = (0..<2).map { _ in
      simulation.task { await self.note(outcomes) { try await client.fetch(self.query) } }
    }
    simulation.advance(by: .milliseconds(2))
    observer.startRefetch()
    simulation.advance(by: .milliseconds(2))
    tasks[1].cancel()
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcomes.all, ["CancellationError at 4", "2 at 12"])
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: ["cancel", "remove", "clear", "shutdown"])
  func theseEndTheWaitOfACallerThatMovedAlong(_ means: String) {
    let (client, observer) = observed()
    let outcomes = Notes<String>()
    for _ in 0..<2 {
      simulation.task { await self.note(outcomes) { try await client.fetch(self.query) } }
    }
    simulation.advance(by: .milliseconds(2))
    client.markInvalidated(.all)
    simulation.advance(by: .milliseconds(2))
    switch means {
    case "cancel": client.cancel(.all)
    case "remove": client.remove(.all)
    case "clear": client.clear()
    default: client.shutDown()
    }
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcomes.all, ["CancellationError at 4", "CancellationError at 4"])
    withExtendedLifetime(observer) {}
  }

  @Test("a reset that begins no fetch ends the wait, as a removal does")
  func aResetOfWhatNobodyObserves() {
    let client = QueryClient(simulation: simulation)
    let outcomes = Notes<String>()
    simulation.task { await self.note(outcomes) { try await client.fetch(self.query) } }
    simulation.advance(by: .milliseconds(2))
    simulation.run { await client.reset(.all) }
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcomes.all, ["CancellationError at 2"])
  }

  @Test("for bulk calls a paused fetch is settled, also one that takes the place of theirs")
  func theFetchThatTakesThePlaceIsPaused() {
    let network = ManualSignal(true)
    let (client, observer) = observed { $0.connectivity = Connectivity { network } }
    let outcomes = Notes<String>()
    simulation.task {
      await self.note(outcomes) {
        await client.refetch(.all)
        return client.data(for: self.query)
      }
    }
    simulation.advance(by: .milliseconds(1))
    simulation.task { await self.note(outcomes) { try await client.fetch(self.query) } }
    simulation.advance(by: .milliseconds(1))
    network.send(false)
    simulation.advance(by: .milliseconds(1))
    observer.startRefetch()
    simulation.advance(by: .milliseconds(7))
    network.send(true)
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcomes.all, ["0 at 3", "2 at 20"])
    withExtendedLifetime(observer) {}
  }

  @Test(
    "page commands in turn at both ends replace each other three times; then each gets its page"
  )
  func pageCommandsAtBothEndsAreBounded() {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let requests = Notes<Int>()
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 50) { page, _ in
      requests.add(page)
      try await clock.sleep(for: .milliseconds(10))
      return page
    } nextPageParam: {
      $0.lastParam + 1
    } previousPageParam: {
      $0.firstParam - 1
    }
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: .milliseconds(10))
    let outcomes = Notes<String>()
    let fetching = simulation.task {
      await self.note(outcomes) { try await client.fetch(feed).pages.count }
    }
    for turn in 0..<40 {
      simulation.advance(by: .milliseconds(2))
      simulation.task {
        turn % 2 == 0
          ? try await client.fetchNextPage(of: feed) : try await client.fetchPreviousPage(of: feed)
      }
    }
    // However many follow: the caller has moved along three times.
    expectEqual(outcomes.all, ["2 at 26"])
    simulation.advance(by: .milliseconds(50))
    #expect((recording.values.last?.data?.pages.count ?? 0) > 4)
    withExtendedLifetime(fetching) {}
  }

  @Test func aPageThatIsPutOffIsFetchedAlsoIfWhatIsFetchedFails() throws {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let fails = Dial(false)
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 50) { page, _ in
      try await clock.sleep(for: .milliseconds(10))
      if page < 50 || page == 50 && fails.value { throw Boom(page) }
      return page
    } nextPageParam: {
      $0.lastParam + 1
    } previousPageParam: {
      $0.firstParam - 1
    }
    let recording = simulation.record(client.stream(feed.retry(.never)))
    simulation.advance(by: .milliseconds(10))
    for _ in 0..<4 {
      client.markInvalidated(.all)
      simulation.advance(by: .milliseconds(1))
    }
    fails.value = true
    let outcomes = Notes<String>()
    for _ in 0..<2 {
      simulation.task {
        await self.note(outcomes) { try await client.fetchNextPage(of: feed).data?.pages.count }
      }
    }
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcomes.all, ["2 at 33", "2 at 33"])
    expectEqual(recording.values.last?.data?.pages, [50, 51])
    expectNil(recording.values.last?.error)
    recording.cancel()
  }

  @Test("callers of a fetch get the pages that a page command brings, and callers of a page")
  func pageCommandsTakeCallersAlong() {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let requests = Notes<Int>()
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 1) { page, _ in
      requests.add(page)
      try await clock.sleep(for: .milliseconds(10))
      return page
    } nextPageParam: {
      $0.lastParam + 1
    }
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: .milliseconds(10))
    let outcomes = Notes<String>()
    for _ in 0..<2 {
      simulation.task {
        await self.note(outcomes) { try await client.fetch(feed).pages.count }
      }
    }
    for _ in 0..<6 {
      simulation.advance(by: .milliseconds(2))
      simulation.task {
        await self.note(outcomes) {
          try await client.fetchNextPage(of: feed).data?.pages.count
        }
      }
    }
    simulation.advance(by: .milliseconds(50))
    // However often the page is asked for: the fourth request for it is joined.
    expectEqual(requests.all, [1, 1, 2, 2, 2])
    expectEqual(outcomes.all, Array(repeating: "2 at 26", count: 8))
    withExtendedLifetime(recording) {}
  }
}
