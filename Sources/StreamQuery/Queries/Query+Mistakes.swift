// These declarations catch mistakes that are easy to make: the compiler then says how to write them
// right.

extension Query {
  /// Creates nothing: without a key, all queries of one value type would share one entry.
  ///
  /// - Parameter fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "name what is fetched: Query(\"users\") { … }")
  public init(fetch: @escaping @Sendable @concurrent () async throws -> Value) {
    self.init(key: QueryKey(), fetch: fetch)
  }

  /// Creates nothing: without a key, all queries of one value type would share one entry.
  ///
  /// - Parameter fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "name what is fetched: Query(\"users\") { … }")
  public init(fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value) {
    self.init(key: QueryKey(), fetch: fetch)
  }

  /// Takes the parts of the key but not its value type, because the label `key:` is missing.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "write the label: Query(key: key) { … }")
  public init<Other>(
    _ key: QueryKey<Other>,
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(key: QueryKey(key), fetch: fetch)
  }

  /// Takes the parts of the key but not its value type, because the label `key:` is missing.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "write the label: Query(key: key) { … }")
  public init<Other>(
    _ key: QueryKey<Other>,
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: QueryKey(key), fetch: fetch)
  }

  /// Creates a query whose key has the elements of an array as its parts.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "write the parts without brackets: Query(\"user\", 42) { … }")
  public init<Element: Hashable & Sendable>(
    _ parts: [Element],
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(key: QueryKey(AnyQueryKey(ofParts: parts)), fetch: fetch)
  }

  /// Creates a query whose key has the elements of an array as its parts.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "write the parts without brackets: Query(\"user\", 42) { … }")
  public init<Element: Hashable & Sendable>(
    _ parts: [Element],
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: QueryKey(AnyQueryKey(ofParts: parts)), fetch: fetch)
  }

  /// Creates nothing: write parts of several types without brackets.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write the parts without brackets: Query(\"user\", 42) { … }")
  public init(
    _ parts: [(any Hashable & Sendable)?],
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(key: QueryKey(AnyQueryKey(ofMixed: parts)), fetch: fetch)
  }

  /// Creates nothing: write parts of several types without brackets.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - fetch: The fetch.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write the parts without brackets: Query(\"user\", 42) { … }")
  public init(
    _ parts: [(any Hashable & Sendable)?],
    fetch: @escaping @Sendable @concurrent (FetchContext) async throws -> Value
  ) {
    self.init(key: QueryKey(AnyQueryKey(ofMixed: parts)), fetch: fetch)
  }

  /// Changes nothing: say what the number counts.
  ///
  /// - Parameter number: A number without a unit.
  /// - Returns: The query.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write the unit, such as .seconds(60)")
  public func gcTime(_ number: Int) -> Self { self }

  /// Changes nothing: say what the number counts, or that there is no end.
  ///
  /// - Parameter number: A number without a unit.
  /// - Returns: The query.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write the unit; .hours(1_000_000) is for ever")
  public func gcTime(_ number: Double) -> Self { self }
}
