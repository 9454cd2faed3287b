@_spi(SharedCache) import StreamQuery
import StreamQueryTesting
import Testing

/// A cache beside the client learns of invalidations of what the client does not have.
struct TimeSinceInvalidationTests {
  let simulation = Simulation(seed: 15)
  let times = Notes<Duration?>()

  private func query(_ name: String = "n", fails: Bool = false) -> Query<Int> {
    Query<Int>("rates", name) { [times] context in
      times.add(context.timeSinceInvalidation)
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      if fails { throw Boom(1) }
      return 1
    }.staleTime(.seconds(60)).retry(0)
  }

  private func client() -> QueryClient {
    let client = QueryClient(simulation: simulation)
    client.noteInvalidations()
    return client
  }

  private func fetch(_ client: QueryClient, _ query: Query<Int>) {
    _ = try? simulation.run { try await client.fetch(query) }
  }

  static var filters: [QueryFilter] {
    [
      .key(QueryKey<Int>("rates", "n")), .prefix(["rates"]), .all, .stale,
      .prefix(["rates"]) && !.active, .where { _ in true },
    ]
  }

  @Test(arguments: TimeSinceInvalidationTests.filters.indices)
  func aKeyThatWasNeverThere(filter: Int) {
    let client = client()
    client.markInvalidated(Self.filters[filter])
    simulation.advance(by: .seconds(3))
    fetch(client, query())
    // Another key is concerned as well, but for the first filter.
    fetch(client, query("other"))
    expectEqual(times.all, [.seconds(3), filter == 0 ? nil : .seconds(4)])
  }

  @Test(arguments: TimeSinceInvalidationTests.filters.indices)
  func dataThatHasLeft(filter: Int) {
    let client = client()
    fetch(client, query())
    simulation.advance(by: .seconds(60))
    client.markInvalidated(Self.filters[filter])
    client.remove(query())
    simulation.advance(by: .seconds(3))
    fetch(client, query())
    expectEqual(times.all, [nil, .seconds(3)])
  }

  @Test func whatAPredicateDoesNotSelectIsNotConcerned() {
    let client = client()
    fetch(client, query())
    client.markInvalidated(.where { _ in false })
    client.markInvalidated(.active)
    client.markInvalidated(.key(QueryKey<Int>("rates")))
    client.remove(query("none"))
    fetch(client, query().staleTime(.zero))
    expectEqual(times.all, [nil, nil])
  }

  @Test func aFirstFetchThatWasCancelledLeavesNoMark() {
    let (client, query) = (client(), query())
    let call = simulation.task("fetch") { _ = try? await client.fetch(query) }
    simulation.advance(by: .milliseconds(500))
    client.markInvalidated(.query(query))
    call.cancel()
    simulation.advance(by: .seconds(3))
    fetch(client, query)
    expectEqual(times.all, [nil, .seconds(3)])
  }

  @Test func dataThatHasBecomeFreshIsNoMatter() {
    let client = client()
    client.markInvalidated(.all)
    fetch(client, query())
    simulation.advance(by: .seconds(100))
    fetch(client, query())
    client.markInvalidated(.all)
    simulation.advance(by: .seconds(2))
    fetch(client, query())
    expectEqual(times.all, [.zero, nil, .seconds(2)])
  }

  @Test func whoTakesWhatIsUnderWayIsNotNoted() {
    let client = client()
    client.markInvalidated(.all, superseding: false)
    fetch(client, query())
    expectEqual(times.all, [nil])
  }

  @Test func whoTakesWhatIsUnderWayIsNotNotedForDataThatIsThere() {
    let client = client()
    fetch(client, query())
    client.markInvalidated(.all, superseding: false)
    fetch(client, query())
    // Before one that is noted, and after it, where the later time is the one that is known.
    client.markInvalidated(.all, superseding: false)
    simulation.advance(by: .seconds(1))
    client.markInvalidated(.all)
    simulation.advance(by: .seconds(2))
    fetch(client, query())
    client.markInvalidated(.all)
    simulation.advance(by: .seconds(4))
    client.markInvalidated(.all, superseding: false)
    simulation.advance(by: .seconds(8))
    fetch(client, query())
    expectEqual(times.all, [nil, nil, .seconds(2), .seconds(8)])
  }

  @Test func aLaterDoubtDoesNotHideWhatAnOlderAnswerReplaced() {
    let client = client()
    simulation.task { [query = query()] in _ = try? await client.fetch(query) }
    simulation.advance(by: .milliseconds(500))
    client.markInvalidated(.all, refetch: .never)
    client.setData(0, for: query())
    client.markInvalidated(.all, refetch: .never, superseding: false)
    // The answer that began before the first of them lands over what was written.
    simulation.advance(by: .milliseconds(600))
    expectEqual(client.data(for: query()), 1)
    fetch(client, query())
    expectEqual(times.all, [nil, .milliseconds(100)])
  }

  @Test func anAnswerThatIsOutdatedAnewIsNewerThanTheInvalidationBeforeIt() {
    let client = client()
    client.setData(0, for: query())
    simulation.advance(by: .seconds(1))
    client.markInvalidated(.all, refetch: .never)
    simulation.advance(by: .seconds(1))
    let outdated = Query<Int>("rates", "n") { context in
      context.answer(isOld: .zero, isOutdated: true)
      return 2
    }
    fetch(client, outdated)
    expect(client.isStale(query().key))
    fetch(client, query())
    expectEqual(times.all, [nil])
  }

  @Test func nothingIsNotedUnlessSomebodyAsks() {
    let client = QueryClient(simulation: simulation)
    client.markInvalidated(.all)
    fetch(client, query())
    expectEqual(times.all, [nil])
  }
}
