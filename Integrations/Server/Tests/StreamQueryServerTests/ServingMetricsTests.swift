import InMemoryLogging
import Logging
import MetricsTestKit
import StreamQuery
import StreamQueryPersistence
import StreamQueryServer
import StreamQueryTesting
import Testing

/// What callers get while the server behind fails, and what is not kept, is counted and in the log.
struct ServingMetricsTests {
  let simulation = Simulation(seed: 8)
  let metrics = TestMetrics()
  let handler = InMemoryLogHandler()

  private func client(
    configured configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    var logger = Logger(label: "cache") { [handler] _ in handler }
    logger.logLevel = .trace
    return QueryClient(simulation: simulation) { [metrics, logger] in
      configure(&$0)
      $0.measure(with: QueryMetrics(prefix: "test", factory: metrics))
      $0.log(to: logger)
    }
  }

  /// What the counters have counted since this was asked last, without those that have not.
  private func counted() -> [String: Int64] {
    var counted: [String: Int64] = [:]
    for counter in metrics.counters where counter.totalValue != 0 {
      let own = counter.dimensions.map { " \($0.0)=\($0.1)" }.joined()
      counted[counter.label + own] = counter.totalValue
      counter.reset()
    }
    return counted
  }

  /// The lines with some messages since the log was cleared last, with some of their facts.
  private func lines(_ messages: [String], _ names: String...) -> [String] {
    handler.entries.filter { messages.contains($0.message.description) }.map { entry in
      let facts = names.compactMap { name in entry.metadata[name].map { " \(name)=\($0)" } }
      return "\(entry.level): \(entry.message)" + facts.joined()
    }
  }

  @Test func whatCallersGetWhileTheServerBehindFails() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(7), .failure(Outage(), after: .seconds(1)))
    let query = Query("n", fetch: fetch)
      .staleTime(.seconds(10)).staleIfError(.seconds(20)).cachesFailures(.seconds(5))
    func ask() { _ = simulation.task { try await client.fetch(query) } }
    ask()
    simulation.advance(by: .seconds(10))
    #expect(counted() == ["test.lookups result=miss": 1, "test.fetches outcome=succeeded": 1])
    handler.clear()

    // The data has just become stale. Those who wait get it when the fetch fails.
    ask()
    ask()
    simulation.advance(by: .seconds(1))
    #expect(
      counted() == [
        "test.lookups result=miss": 1, "test.lookups result=joined": 1,
        "test.fetches outcome=failed": 1, "test.stale.served": 2,
      ]
    )
    #expect(
      lines(["lookup", "fetch failed", "served stale data"], "result", "count", "error") == [
        "trace: lookup result=miss", "trace: lookup result=joined",
        "warning: fetch failed error=the upstream is down",
        "notice: served stale data count=2",
      ]
    )

    // While the failure lasts, nobody waits.
    simulation.advance(by: .seconds(1))
    ask()
    simulation.settle()
    #expect(counted() == ["test.lookups result=staleHit": 1])

    // The grace ends at 30 seconds, so the failure itself is the answer: first after a wait, then at once.
    simulation.advance(by: .seconds(18))
    ask()
    simulation.advance(by: .seconds(1))
    handler.clear()
    ask()
    simulation.settle()
    #expect(
      counted() == [
        "test.lookups result=miss": 1, "test.fetches outcome=failed": 1,
        "test.lookups result=failure": 1,
      ]
    )
    #expect(lines(["lookup", "fetch started"], "result") == ["trace: lookup result=failure"])
  }

  @Test func whoLosesPatienceIsServedStaleData() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(7), .value(8, after: .seconds(4)))
    let query = Query("n", fetch: fetch)
      .staleTime(.seconds(10)).staleIfError(.seconds(20)).softTimeout(.milliseconds(100))
    _ = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .seconds(10))
    _ = counted()
    _ = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    #expect(counted() == ["test.lookups result=miss": 1, "test.stale.served": 1])
    simulation.advance(by: .seconds(3))
    #expect(counted() == ["test.fetches outcome=succeeded": 1])
  }

  /// A fetch of four seconds, for which nobody waited that long.
  @Test func howLongCallersWaitedIsMeasured() {
    let client = client()
    let query = Query("n", fetch: ScriptedFetch<Int>(.value(7, after: .seconds(4))))
      .staleTime(.seconds(10)).onAbandonment(.finish)
    _ = simulation.task { try await client.fetch(query, timeout: .milliseconds(500)) }
    simulation.advance(by: .seconds(1))
    let cancelled = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    cancelled.cancel()
    _ = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .seconds(3))
    // Who finds data does not wait.
    _ = simulation.task { try await client.fetch(query) }
    simulation.settle()
    #expect(
      metrics.timers(label: "test.wait.duration").flatMap(\.values)
        == [500_000_000, 1_000_000_000, 2_000_000_000]
    )
    #expect(metrics.timers(label: "test.fetch.duration").flatMap(\.values) == [4_000_000_000])
  }

  @Test func whatDidNotChangeIsAnOutcomeOfItsOwn() throws {
    let client = client()
    let query = Query(
      "n",
      fetch: ScriptedFetch<Int>(
        .value(7, after: .seconds(2)),
        .failure(NotModified(), after: .milliseconds(30))
      )
    )
    for _ in 1...2 { _ = try simulation.run { try await client.fetch(query) } }
    #expect(
      counted() == [
        "test.lookups result=miss": 2, "test.fetches outcome=succeeded": 1,
        "test.fetches outcome=notModified": 1,
      ]
    )
    let durations = metrics.timers(
      label: "test.fetch.duration",
      dimensions: [("outcome", "notModified")]
    ).flatMap(\.values)
    #expect(durations == [30_000_000])
    #expect(
      lines(["fetch succeeded"], "duration", "not-modified") == [
        "debug: fetch succeeded duration=2.0",
        "debug: fetch succeeded duration=0.03 not-modified=true",
      ]
    )
  }

  @Test func whatCannotBeKeptIsCounted() {
    let client = client { $0.persistence = Persistence(in: FullStore()) }
    client.setData(1, for: QueryKey<Int>("n"))
    #expect(throws: (any Error).self) { try simulation.run { try await client.save() } }
    #expect(counted() == ["test.persistence.failures": 1])
    #expect(lines(["persistence failed"]) == ["error: persistence failed"])
  }

  @Test func removalsAndMutationsOfEachKindAreCounted() throws {
    let client = client()
    let key = QueryKey<Int>("kept", 1)
    client.setDefaults(QueryOptions(gcTime: .minutes(1)), for: "kept")
    client.setData(1, for: key)
    client.setData(2, for: QueryKey<Int>("removed", 1))
    client.remove(.prefix("removed"))
    simulation.advance(by: .minutes(2))
    #expect(counted() == ["test.removals reason=removed": 1, "test.removals reason=expired": 1])
    let mutation = Mutation<Int, Int>("save") { number in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return number
    }
    let task = simulation.task { try await client.mutate(mutation, with: 1) }
    simulation.advance(by: .milliseconds(300))
    task.cancel()
    simulation.settle()
    #expect(counted() == ["test.mutations outcome=cancelled": 1])
    #expect(
      metrics.timers(label: "test.mutation.duration", dimensions: [("outcome", "cancelled")])
        .flatMap(\.values) == [300_000_000]
    )
  }
}
