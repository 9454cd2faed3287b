extension QueryClient: CarriedClient {}

extension CarriedClient {
  fileprivate var client: QueryClient {
    // Nothing else conforms. Checked in debug builds by `unsafeDowncast` itself.
    unsafeDowncast(self, to: QueryClient.self)
  }
}

extension FetchContext {
  /// The client that fetches.
  ///
  /// A fetch may read and write other keys with it, and await other fetches and mutations. Waiting in a
  /// fetch for the fetch's own key, directly or through other fetches, mutations and clients, throws
  /// ``QueryError/recursiveFetch(key:)``, or ``QueryError/recursiveMutation(key:)`` where a mutation would
  /// wait for it. A stream of the fetch's own key ends where it would wait, and
  /// ``QueryMisuse/streamInsideFetch(key:)`` is reported.
  public var client: QueryClient { carriedClient.client }

  /// The data that is cached: what the fetch may ask the server about, or build upon.
  ///
  /// It lies below the optimistic changes of mutations, as it was fetched or written. Read it here rather
  /// than by ``client``, which shows those changes as well. If it is still good, throw ``NotModified``.
  ///
  /// ```swift
  /// let feed = Query<[String]>("feed") { context in
  ///   let known: [String] = context.previous() ?? []
  ///   return try await known + api.news(after: known.last)
  /// }
  /// ```
  ///
  /// The fetch of a page of an infinite query is given that page, as it is cached under the same
  /// parameter, and none for a page that is added; asked for `Pages`, it is given all of them. A streamed query that shows pending again is
  /// given what it took out of sight.
  ///
  /// - Parameter type: The type of the query's value, or of its pages; another one is reported to
  ///   ``QueryClient/Configuration/onMisuse``.
  /// - Returns: The data at this moment; `nil` without any.
  public func previous<Value: Sendable>(as type: Value.Type = Value.self) -> Value? {
    if let page, page.type == type { return page.cached?()?.value(as: Value.self) }
    guard let job else { return nil }
    guard job.plan.plan.valueType == type else {
      client.report(
        .previousOfOtherType(
          key: key.description,
          expected: job.plan.plan.valueTypeName,
          asked: String(reflecting: type)
        )
      )
      return nil
    }
    return client.cache.read { $0.kept(job.entry) }?.value(as: Value.self)
  }
}

extension MutationContext {
  /// The client that runs the mutation.
  public var client: QueryClient { carriedClient.client }
}

extension MutationRunContext {
  /// The client that runs the mutation.
  public var client: QueryClient { facts.client.client }
}
