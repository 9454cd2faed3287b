public import StreamQuery

extension Query {
  /// Creates a query with a fetcher, which is an object that fetches.
  ///
  /// ```swift
  /// let search = ClosureFetcher { try await api.users() }
  /// let users = Query(key: "search", fetcher: search)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - fetcher: The fetcher; the query and its cache entry retain it.
  public init<F: QueryFetcher>(key: QueryKey<Value>, fetcher: F) where F.Output == Value {
    self.init(key: key) { try await fetcher.fetch() }
  }

  /// Creates a query with a fetcher, from the parts of the query's key.
  ///
  /// - Parameters:
  ///   - first: The first part of the key.
  ///   - part: The further parts, in order.
  ///   - fetcher: The fetcher; the query and its cache entry retain it.
  public init<F: QueryFetcher, First: Hashable & Sendable, each Part: Hashable & Sendable>(
    _ first: First,
    _ part: repeat each Part,
    fetcher: F
  ) where F.Output == Value {
    self.init(key: QueryKey(first, repeat each part), fetcher: fetcher)
  }
}
