import StreamQuery
import StreamQueryTesting

/// Tests of clients whose cache has a limit.
protocol LimitedSuite {
  var simulation: Simulation { get }
}

extension LimitedSuite {
  func client(_ limit: CacheLimit) -> QueryClient {
    QueryClient(simulation: simulation) { $0.limit = limit }
  }

  func key(_ number: Int) -> QueryKey<Int> { QueryKey("number", number) }

  func kept(_ client: QueryClient) -> [Int] {
    client.entries(of: Int.self).map(\.data).sorted()
  }
}
