import StreamQuery

/// Queries and clients as the cases use them.
enum World {
  /// A client that lives in the real world, without sources that could disturb.
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

  /// Fresh for ever, so that nothing fetches unless it is missing.
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
