extension QueryFilter {
  /// Exactly the entries of a list of queries.
  ///
  /// ```swift
  /// let batch = [AnyQuery(.user(1)), AnyQuery(.repos(1))]
  /// await client.refetch(.queries(batch))
  /// ```
  ///
  /// - Parameter queries: The queries; none match no entry.
  /// - Returns: The filter.
  public static func queries(_ queries: [AnyQuery]) -> Self {
    any(of: queries.map { Self(.entry($0.entryKey)) })
  }
}

extension QueryClient {
  /// Whether an error of a query is thrown to an error boundary; see `shouldThrow(_:of:)` of a query
  /// with its value type.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - query: The query.
  /// - Returns: Whether it is thrown.
  public nonisolated func shouldThrow(_ error: any Error, of query: AnyQuery) -> Bool {
    let policy =
      query.definition.options.throwOnError
      ?? defaultOptions(for: query.key).throwOnError ?? .never
    return policy.shouldThrow(error, of: diagnostics(.queries([query])).first)
  }
}
