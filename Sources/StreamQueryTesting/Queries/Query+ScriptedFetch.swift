public import StreamQuery

extension Query {
  /// Creates a query with a fetch that follows a script.
  ///
  /// - Parameters:
  ///   - part: The parts of the key.
  ///   - fields: Named parts in any order, which are the last part of the key.
  ///   - fetch: The script.
  public init<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    fetch: ScriptedFetch<Value>
  ) {
    self.init(key: QueryKey(repeat each part, fields: fields), fetch: fetch)
  }

  /// Creates a query with a fetch that follows a script.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - fetch: The script.
  public init(key: QueryKey<Value>, fetch: ScriptedFetch<Value>) {
    self.init(key: key, boxing: { _ in try await fetch.box() })
  }
}
