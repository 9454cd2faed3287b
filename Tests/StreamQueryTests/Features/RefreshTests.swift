import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Refreshing as much as there is time for.
struct RefreshTests {
  private let simulation = Simulation(seed: 12)
  private let begun = Notes<String>()

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.limit = CacheLimit()
      $0.maxConcurrentFetches = 2
      configure(&$0)
    }
  }

  /// A query whose fetch takes a second, and whose data is fresh for ten.
  private func query(_ name: String) -> Query<String> {
    Query(name) { [begun] _ in
      begun.add(name)
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      if name == "broken" { throw Broken() }
      return name
    }
    .staleTime(.seconds(10)).gcTime(.hours(1))
  }

  private struct Broken: Error {}

  /// Fetches queries, and uses each once more than the one before it.
  private func use(_ names: [String], with client: QueryClient) {
    for (uses, name) in names.enumerated() {
      let query = query(name)
      client.setData(name, for: query)
      for _ in 0..<uses { _ = client.data(for: query) }
    }
  }

  private func result(_ refreshed: [AnyQueryKey], left: [AnyQueryKey]) -> QueryRefresh {
    var result = QueryRefresh()
    (result.refreshed, result.remaining) = (refreshed, left)
    return result
  }

  @Test func theMostUsedAreRefreshedFirstAndAsManyAsThereIsTimeFor() {
    let client = client()
    let names = ["a", "b", "c", "d", "e", "f"]
    for name in names { simulation.run { await client.prefetch(query(name)) } }
    for (uses, name) in names.enumerated() {
      for _ in 0..<uses { _ = client.data(for: query(name)) }
    }
    simulation.advance(by: .seconds(1_000))
    let before = begun.count
    let refresh = simulation.task { await client.refetchStale(within: .milliseconds(2_500)) }
    simulation.advance(by: .milliseconds(1_500))
    // Two at a time.
    expectEqual(Set(begun.all.dropFirst(before).prefix(2)), ["f", "e"])
    expectEqual(begun.count - before, 4)
    simulation.advance(by: .milliseconds(999))
    expectEqual(begun.count - before, 6)
    simulation.advance(by: .milliseconds(1))
    expectEqual(
      simulation.run { await refresh.value },
      result(["f", "e", "d", "c"], left: ["b", "a"])
    )
    // What was under way was given up.
    expectEqual(client.fetchingCount(), 0)
    expect(client.isStale(query("a")) && !client.isStale(query("c")))
    client.shutDown()
  }

  @Test func whatIsFreshOrCannotBeFetchedIsLeftOut() {
    let client = client()
    simulation.run { await client.prefetch(query("stale")) }
    client.setData("written", for: "written" as QueryKey<String>)
    simulation.advance(by: .seconds(20))
    simulation.run { await client.prefetch(query("fresh")) }
    simulation.run { await client.prefetch(query("broken")) }
    let disabled = client.stream(query("disabled").enabled(false))
    simulation.settle()
    let before = begun.count
    let result = simulation.run { await client.refetchStale(within: .seconds(30)) }
    expect(result.refreshed == ["stale"] && result.failed == ["broken"])
    expectEmpty(result.remaining)
    expectEqual(Set(begun.all.dropFirst(before)), ["stale", "broken"])
    withExtendedLifetime(disabled) {}
    client.shutDown()
  }

  @Test func whatIsDisabledIsLeftOutAlsoIfNobodyObservesIt() {
    let client = client()
    client.setData("off", for: query("off").enabled(false))
    simulation.advance(by: .seconds(20))
    let queries = ["off", "missing"].map { AnyQuery(query($0).enabled(false)) }
    let all = simulation.run { await client.refetchStale(within: .seconds(5)) }
    let listed = simulation.run { await client.refetchStale(queries, within: .seconds(5)) }
    expectEqual([all, listed], [QueryRefresh(), QueryRefresh()])
    expectEmpty(begun.all)
    client.shutDown()
  }

  @Test func whoseFetchIsCancelledIsAsStaleAsItWas() {
    let client = client()
    simulation.run { await client.prefetch(query("a")) }
    simulation.advance(by: .seconds(20))
    let refresh = simulation.task { await client.refetchStale(within: .seconds(5)) }
    simulation.advance(by: .milliseconds(500))
    client.cancel(.all)
    simulation.settle()
    expectEqual(simulation.run { await refresh.value }, result([], left: ["a"]))
    client.shutDown()
  }

  @Test func aFetchThatThrowsAnErrorOfCancellationByItselfHasFailed() {
    let client = client()
    let query = Query<String>("own") { _ in throw CancellationError() }
    client.setData("own", for: query)
    simulation.advance(by: .seconds(1))
    let refreshed = simulation.run {
      await client.refetchStale([AnyQuery(query)], within: .seconds(5))
    }
    expectEqual(refreshed.failed, ["own"])
    expect(refreshed.refreshed.isEmpty && refreshed.remaining.isEmpty)
    client.shutDown()
  }

  @Test func whatHasNotBegunWhenTheClientEndsIsLeft() {
    let client = client { $0.maxConcurrentFetches = 1 }
    for name in ["a", "b"] { simulation.run { await client.prefetch(query(name)) } }
    simulation.advance(by: .seconds(1_000))
    let refresh = simulation.task { await client.refetchStale(within: .seconds(5)) }
    simulation.advance(by: .milliseconds(500))
    client.shutDown()
    simulation.settle()
    expectEqual(simulation.run { await refresh.value }, result([], left: ["a", "b"]))
  }

  @Test(arguments: [false, true], [false, true])
  func whatIsRemovedMeanwhileIsNotFetched(isListed: Bool, clears: Bool) {
    let client = client { $0.maxConcurrentFetches = 1 }
    for name in ["a", "b"] { simulation.run { await client.prefetch(query(name)) } }
    simulation.advance(by: .seconds(1_000))
    let queries = ["a", "b"].map { AnyQuery(query($0)) }
    let refresh = simulation.task { () async -> QueryRefresh in
      if isListed { return await client.refetchStale(queries, within: .seconds(60)) }
      return await client.refetchStale(within: .seconds(60))
    }
    simulation.advance(by: .milliseconds(500))
    let first = begun.all.last ?? ""
    let other = first == "a" ? "b" : "a"
    if clears { client.clear() } else { client.remove(query(other)) }
    simulation.advance(by: .seconds(10))
    expectEqual(begun.all.last, first)
    let result = simulation.run { await refresh.value }
    expectEqual(result.refreshed, clears ? [] : [AnyQueryKey(first)])
    expectEqual(Set(result.remaining), clears ? ["a", "b"] : [AnyQueryKey(other)])
    expectNil(client.data(for: query(other)))
    client.shutDown()
  }

  @Test func aCallerThatIsCancelledBeforeFetchesNothing() {
    let client = client()
    simulation.run { await client.prefetch(query("a")) }
    simulation.advance(by: .seconds(20))
    let before = begun.count
    let refresh = simulation.task { await client.refetchStale(within: .seconds(5)) }
    refresh.cancel()
    simulation.settle()
    expectEqual(simulation.run { await refresh.value }, result([], left: ["a"]))
    expectEqual(begun.count, before)
    client.shutDown()
  }

  @Test func noTimeAndOddDatesFetchNothing() {
    let client = client()
    simulation.run { await client.prefetch(query("a")) }
    simulation.advance(by: .seconds(20))
    let before = begun.count
    let now = client.configuration.wallClock()
    for date in [now, now - 5, .distantPast, Date(timeIntervalSinceReferenceDate: .nan)] {
      expectEqual(
        simulation.run { await client.refetchStale(until: date) },
        result([], left: ["a"])
      )
    }
    expectEqual(begun.count, before)
    let never = Date(timeIntervalSinceReferenceDate: .infinity)
    expectEqual(simulation.run { await client.refetchStale(until: never) }, result(["a"], left: []))
    client.shutDown()
  }

  @Test func theDateEndsIt() {
    let client = client { $0.maxConcurrentFetches = 1 }
    for name in ["a", "b"] { simulation.run { await client.prefetch(query(name)) } }
    simulation.advance(by: .seconds(1_000))
    let deadline = client.configuration.wallClock() + 1.5
    let refresh = simulation.task {
      await client.refetchStale(.prefix("a") || .prefix("b"), until: deadline)
    }
    simulation.advance(by: .milliseconds(1_500))
    expectEqual(simulation.run { await refresh.value }, result(["a"], left: ["b"]))
    client.shutDown()
  }

  @Test func aCancelledCallerGetsWhatWasDone() {
    let client = client { $0.maxConcurrentFetches = 1 }
    for name in ["a", "b"] { simulation.run { await client.prefetch(query(name)) } }
    simulation.advance(by: .seconds(1_000))
    let refresh = simulation.task { await client.refetchStale(within: .hours(1)) }
    simulation.advance(by: .milliseconds(1_500))
    refresh.cancel()
    simulation.settle()
    expectEqual(simulation.run { await refresh.value }, result(["a"], left: ["b"]))
    expectEqual(client.fetchingCount(), 0)
    client.shutDown()
  }

  @Test func aFetchThatSomebodyElseWantsGoesOn() {
    let client = client()
    let recording = simulation.record(client.stream(query("a")))
    simulation.advance(by: .seconds(20))
    let refresh = simulation.task { await client.refetchStale(within: .milliseconds(500)) }
    simulation.advance(by: .seconds(2))
    expectEqual(simulation.run { await refresh.value }, result([], left: ["a"]))
    expect(!client.isStale(query("a")))
    recording.cancel()
    client.shutDown()
  }

  @Test func aProcessThatHasJustBegunRefreshesWhatItsStoreKeepsTooLong() {
    let memory = MemoryStore()
    @Sendable func keep(_ configuration: inout QueryClient.Configuration) {
      configuration.persistence = Persistence(in: memory)
    }
    let former = client(keep)
    use(["old"], with: former)
    simulation.advance(by: .seconds(100))
    use(["new"], with: former)
    former.shutDown()
    simulation.settle()

    let client = client(keep)
    let queries = ["new", "old", "missing", "old"].map { AnyQuery(query($0)) }
    let refresh = simulation.task { await client.refetchStale(queries, within: .seconds(5)) }
    simulation.advance(by: .seconds(5))
    expectEqual(simulation.run { await refresh.value }, result(["missing", "old"], left: []))
    expectEqual(Set(begun.all), ["old", "missing"])
    client.shutDown()
  }

  @Test func anEntryIsIncludedWhoseStoreIsReadAndWhoseObserversHaveNothingYet() {
    let memory = MemoryStore()
    let former = client { $0.persistence = Persistence(in: memory) }
    use(["a"], with: former)
    former.shutDown()
    simulation.advance(by: .seconds(100))

    let counts = Notes<Int>()
    let decodes = Recorded<@Sendable () -> Void>()
    let client = client {
      var persistence = Persistence(in: memory)
      persistence.coding = ArchiveCoding {
        try JSONEncoder().encode($0)
      } decode: { type, data in
        for action in decodes.values { action() }
        return try JSONDecoder().decode(type, from: data)
      }
      $0.persistence = persistence
    }
    let recording = simulation.record(client.stream(query("a")))
    decodes.append { counts.add(client.staleEntries(.all).count) }
    simulation.settle()
    decodes.removeAll()
    expectEqual(counts.all.first, 1)
    recording.cancel()
    client.shutDown()
  }

  @Test func aListIncludesWhatHasNoResultYet() {
    let client = client()
    // An entry without a result: its fetch was given up.
    let former = simulation.task { try? await client.fetch(query("a")) }
    simulation.advance(by: .milliseconds(500))
    former.cancel()
    simulation.settle()
    expectEqual(client.diagnostics("a").count, 1)
    let queries = [AnyQuery(query("a")), AnyQuery(query("b"))]
    expectEqual(
      simulation.run { await client.refetchStale(queries, within: .hours(1)) },
      result(["a", "b"], left: [])
    )
    client.shutDown()
  }

  @Test func aListIncludesWhatOnlyAnOptimisticChangeOrAWriteByKeyHasMade() {
    let client = client()
    let clock = simulation.clock
    let change = Mutation("change") { (input: String) in try await clock.sleep(for: .seconds(60)) }
      .optimistic { input, changes in
        changes.update("changed" as QueryKey<String>) { $0 = input }
      }
    let run = simulation.task { try await client.mutate(change, with: "mine") }
    client.setData("old", for: "written" as QueryKey<String>)
    simulation.advance(by: .seconds(20))
    expectEqual(client.data(for: "changed" as QueryKey<String>), "mine")
    let queries = ["changed", "written"].map { AnyQuery(query($0)) }
    expectEqual(
      simulation.run { await client.refetchStale(queries, within: .seconds(5)) },
      result(["changed", "written"], left: [])
    )
    expectEqual(begun.all, ["changed", "written"])
    run.cancel()
    client.shutDown()
  }

  @Test func anEndlessStreamThatDeliversIsLeftOutUnlessItIsInvalidated() {
    let client = client()
    let query = Query<[Int]>.streamed("feed", endless: true) { _ in
      AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          try await Scheduling.current.clock.sleep(for: .seconds(1))
          return 1
        }
      )
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(1_500))
    expectEqual(
      simulation.run { await client.refetchStale(within: .seconds(20)) },
      result([], left: [])
    )
    expectEqual(
      simulation.run { await client.refetchStale([AnyQuery(query)], within: .seconds(20)) },
      result([], left: [])
    )
    client.markInvalidated(.query(query), refetch: .never)
    expectEqual(
      simulation.run { await client.refetchStale(within: .seconds(20)) },
      result(["feed"], left: [])
    )
    recording.cancel()
    client.shutDown()
  }

  @Test("a fetch that waits for its next attempt makes room for the others, also in the background")
  func retriesMakeRoom() {
    let active = ManualSignal(true)
    let client = client { $0.activity = AppActivity { active } }
    let retrying = ["x", "y", "z"].map { name in
      Query<String>(name) { [begun] _ in
        begun.add(name)
        throw Broken()
      }
      .retry(RetryPolicy.times(2).backoff(.constant(.minutes(10))))
    }
    let queries = retrying.map { AnyQuery($0) } + [AnyQuery(query("a")), AnyQuery(query("b"))]
    active.send(false)
    simulation.settle()
    let refresh = simulation.task { await client.refetchStale(queries, within: .minutes(11)) }
    simulation.advance(by: .seconds(1))
    expectEqual(Set(begun.all), ["x", "y", "z", "a", "b"])
    simulation.advance(by: .minutes(10))
    expectEqual(begun.all.count, 8)
    simulation.advance(by: .minutes(1))
    expectEqual(simulation.run { await refresh.value }, result(["a", "b"], left: ["x", "y", "z"]))
    expectEqual(client.fetchingCount(), 0)
    client.shutDown()
  }

  @Test func whatIsPausedMakesRoom() {
    let network = ManualSignal(false)
    let client = client { $0.connectivity = Connectivity { network } }
    let local = query("local").networkMode(.always)
    let queries = ["a", "b", "c"].map { AnyQuery(query($0)) } + [AnyQuery(local)]
    let refresh = simulation.task { await client.refetchStale(queries, within: .hours(1)) }
    simulation.advance(by: .seconds(1))
    expectEqual(begun.all, ["local"])
    network.send(true)
    expectEqual(simulation.run { await refresh.value }, result(["a", "b", "c", "local"], left: []))
    client.shutDown()
  }
}
