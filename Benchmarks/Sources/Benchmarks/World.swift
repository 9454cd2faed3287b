import StreamQuery

/// Queries and clients as the cases use them.
enum World {
  /// Makes a client in real time, without changes of the network or the app that could disturb.
  static func client(gcTime: Duration = .seconds(300)) -> QueryClient {
    QueryClient(
      configuration: .init(
        defaults: QueryDefaults(gcTime: gcTime),
        connectivity: .alwaysOnline,
        activity: .alwaysActive
      )
    )
  }

  static func key(_ index: Int) -> QueryKey<Int> {
    QueryKey("todos", "list", index)
  }

  static func keys(_ count: Int) -> [QueryKey<Int>] {
    (0..<count).map(key)
  }

  /// Makes a query with data that is fresh for ever, so that only missing data is fetched.
  static func query(_ index: Int) -> Query<Int> {
    Query(key: key(index)) { index }.staleTime(.infinite)
  }

  static func filled(_ count: Int) -> (client: QueryClient, keys: [QueryKey<Int>]) {
    let client = client()
    let keys = keys(count)
    for (index, key) in keys.enumerated() { client.setData(index, for: key) }
    return (client, keys)
  }
}
