public import StreamQuery

extension Query {
  /// Creates a query that is fetched by an object.
  ///
  /// ```swift
  /// let search = ClosureFetcher { try await api.users() }
  /// let users = Query(key: "search", fetcher: search)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - fetcher: The object; it lives as long as the query and its cache entry.
  public init<F: QueryFetcher>(key: QueryKey<Value>, fetcher: F) where F.Output == Value {
    self.init(key: key) { try await fetcher.fetch() }
  }

  /// Creates a query from the parts of its key and an object that fetches.
  ///
  /// - Parameters:
  ///   - first: The first part of the key.
  ///   - part: The further parts, in order.
  ///   - fetcher: The object; it lives as long as the query and its cache entry.
  public init<F: QueryFetcher, First: Hashable & Sendable, each Part: Hashable & Sendable>(
    _ first: First,
    _ part: repeat each Part,
    fetcher: F
  ) where F.Output == Value {
    self.init(key: QueryKey(first, repeat each part), fetcher: fetcher)
  }
}
