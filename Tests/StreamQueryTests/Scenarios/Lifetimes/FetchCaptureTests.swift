import StreamQuery
import StreamQueryTesting
import Testing

/// What a fetch captured lives as long as somebody may call that fetch, and no longer.
struct FetchCaptureTests {
  private typealias Feed = Query<Pages<Int, Int>>

  let simulation = Simulation(seed: 5)

  private func query(_ initial: Int?) -> (Query<Int>, captured: Weak<Witness>) {
    let witness = Witness()
    let query = Query("n") { withExtendedLifetime(witness) { 1 } }
    return (initial.map { query.initialData($0) } ?? query, Weak(witness))
  }

  private func feed(firstPageOnly: Bool) -> (Feed, captured: Weak<Witness>) {
    let witness = Witness()
    let feed = Feed(
      key: QueryKey("feed"),
      initialPageParam: 0,
      fetch: { page, _ in withExtendedLifetime(witness) { page } },
      nextPageParam: { $0.lastParam + 1 }
    )
    return (firstPageOnly ? feed.refetchingFirstPageOnly() : feed, Weak(witness))
  }

  // The queries are made in functions of their own, so that no test holds one by accident.
  private func observing<Value>(
    _ client: QueryClient,
    _ made: (Query<Value>, captured: Weak<Witness>)
  ) -> (QueryObserver<Value>, captured: Weak<Witness>) {
    let observer = client.observer(of: made.0)
    simulation.advance(by: .seconds(1))
    return (observer, made.captured)
  }

  private func switching<Value>(
    _ observer: QueryObserver<Value>,
    to made: (Query<Value>, captured: Weak<Witness>)
  ) -> Weak<Witness> {
    observer.update(query: made.0)
    simulation.advance(by: .seconds(1))
    return made.captured
  }

  @Test(arguments: [nil, 0] as [Int?])
  func anObserverThatAsksForAnotherFetchReleasesTheFirst(_ initial: Int?) {
    let client = QueryClient(simulation: simulation)
    let (observer, first) = observing(client, query(initial))
    expect(!first.isGone)
    let second = switching(observer, to: query(initial))
    expect(first.isGone)
    expect(!second.isGone)
    withExtendedLifetime((client, observer)) {}
  }

  @Test(arguments: [false, true])
  func aFeedThatIsAskedForAnewReleasesTheFormerFetch(firstPageOnly: Bool) {
    let client = QueryClient(simulation: simulation)
    let (observer, first) = observing(client, feed(firstPageOnly: firstPageOnly))
    expect(observer.result.hasNextPage)
    expect(!first.isGone)
    let second = switching(observer, to: feed(firstPageOnly: firstPageOnly))
    expect(first.isGone)
    expect(!second.isGone)
    withExtendedLifetime((client, observer)) {}
  }

  private func resultOfPages() throws -> (
    QueryResult<Pages<Int, Int>>, client: Weak<QueryClient>, captured: Weak<Witness>
  ) {
    let client = QueryClient(simulation: simulation)
    let (feed, captured) = feed(firstPageOnly: false)
    _ = try simulation.run { try await client.fetch(feed) }
    let result = client.result(for: feed)
    client.shutDown()
    return (result, Weak(client), captured)
  }

  @Test func aResultOfPagesKeepsNoFetch() throws {
    let (result, client, captured) = try resultOfPages()
    simulation.settle()
    expect(client.isGone)
    expect(captured.isGone)
    expect(result.hasNextPage)
  }
}
