import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct SelectPagesTests {
  @Test("what is selected from pages knows whether there are more, whatever its type")
  func selectionsKeepTheRulesOfPages() throws {
    let simulation = Simulation(seed: 3)
    let client = QueryClient(simulation: simulation)
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 1) {
      $0
    } nextPageParam: {
      $0.lastPage + 1
    }
    let titles = client.stream(feed).select { Pages("\($0.count) pages", param: "all") }
    let recording = simulation.record(titles)
    simulation.advance(by: .milliseconds(1))
    let last = try #require(recording.values.last)
    expectEqual(last.pages, ["1 pages"])
    expect(last.hasNextPage)
    expect(!last.hasPreviousPage)
  }
}
