@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

/// Why a refetch brings an entry nothing, as developer tools say it.
struct RefetchObstacleTests {
  let simulation = Simulation()

  /// The reason in words, and what a refetch does to the number of updates and the error of the entry.
  private func refetched(_ key: AnyQueryKey, in client: QueryClient) throws -> String {
    let before = try #require(client.diagnostics(.prefix(key)).first)
    let obstacle = client.refetchObstacle(of: before).map { "\($0)" } ?? "none"
    simulation.task { await client.refetch(.prefix(key)) }
    simulation.advance(by: .minutes(1))
    let after = try #require(client.diagnostics(.prefix(key)).first)
    let updates = after.dataUpdateCount - before.dataUpdateCount
    return "\(obstacle): \(updates)" + (after.error.map { ", \($0)" } ?? "")
  }

  private func slow(_ key: QueryKey<Int>) -> Query<Int> {
    Query(key: key) {
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return 1
    }
  }

  @Test func anEntryThatIsRefetchedHasNone() throws {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(slow("n")))
    simulation.advance(by: .seconds(2))
    expectEqual(try refetched("n", in: client), "none: 1")
    recording.cancel()
    simulation.settle()
    expectEqual(try refetched("n", in: client), "none: 1")
  }

  @Test func anEntryThatWasOnlyWrittenHasNoFetch() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: QueryKey<Int>("n"))
    expectEqual(
      try refetched("n", in: client),
      "noFetch: 0, \(QueryError.missingFetch(key: #"["n"]"#))"
    )
  }

  @Test func anObservedEntryIsStaticOrDisabled() throws {
    let client = QueryClient(simulation: simulation)
    let recordings = [
      simulation.record(client.stream(slow("static").staleTime(.static))),
      simulation.record(client.stream(slow("off"), options: ObserverOptions(enabled: false))),
    ]
    simulation.advance(by: .seconds(2))
    expectEqual(try refetched("static", in: client), "isStatic: 0")
    expectEqual(try refetched("off", in: client), "isDisabled: 0")
    for recording in recordings { recording.cancel() }
  }

  @Test func anEntryThatNobodyObservesAndThatNeverHadAResultIsUnused() throws {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(
      client.stream(slow("n"), options: ObserverOptions(enabled: false))
    )
    simulation.settle()
    recording.cancel()
    simulation.settle()
    expectEqual(try refetched("n", in: client), "isUnused: 0")
  }

  @Test func anEntryThatIsGoneHasNone() throws {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: QueryKey<Int>("n"))
    let info = try #require(client.diagnostics().first)
    client.remove(.all)
    expectNil(client.refetchObstacle(of: info))
  }
}
