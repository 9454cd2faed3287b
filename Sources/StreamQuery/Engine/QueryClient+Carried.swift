nonisolated extension QueryClient: CarriedClient {}

extension CarriedClient {
  var client: QueryClient {
    // Only the client conforms to the protocol. `unsafeDowncast` itself checks this in debug
    // builds.
    unsafeDowncast(self, to: QueryClient.self)
  }
}

extension FetchContext {
  /// The client that fetches.
  ///
  /// A fetch may read and write other keys with it, and await other fetches and mutations. Waiting
  /// in a fetch for the fetch's own key, directly or through other fetches, mutations and clients,
  /// throws ``QueryError/recursiveFetch(key:)``, or ``QueryError/recursiveMutation(key:)`` if a
  /// mutation would wait for it. A stream of the fetch's own key ends instead of waiting, and
  /// ``QueryMisuse/streamInsideFetch(key:)`` is reported.
  public var client: QueryClient { carriedClient.client }

  /// The cached data; the fetch may validate the data with the server or build upon it.
  ///
  /// This is the data as it was fetched or written, without the optimistic changes of mutations. Read it here
  /// rather than through ``client``, which shows those changes too. If the server says that the data is still
  /// good, throw ``NotModified``.
  ///
  /// ```swift
  /// let feed = Query<[String]>("feed") { context in
  ///   let known: [String] = context.previous() ?? []
  ///   return try await known + api.news(after: known.last)
  /// }
  /// ```
  ///
  /// The fetch of a page of an infinite query gets the page that is cached under the same parameter, and
  /// `nil` for a page that is added. It gets all pages if it asks for `Pages`. A streamed query that shows
  /// pending again gets the data that it hid. The part that a stream left behind may be built upon; unless
  /// the query is endless, the fetch may not throw ``NotModified`` for it.
  ///
  /// - Parameter type: The type of the query's value, or of its pages; any other type is reported
  ///   to ``QueryClient/Configuration/onMisuse``.
  /// - Returns: The present data; `nil` if there is none.
  public func previous<Value: Sendable>(as type: Value.Type = Value.self) -> Value? {
    if let page, page.type == type { return page.cached?()?.value(as: Value.self) }
    guard let job else { return nil }
    let definition = job.query.resolved.definition
    guard definition.valueType == type else {
      client.report(
        .previousOfOtherType(
          key: key.description,
          expected: definition.valueTypeName,
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

extension MutationCallbackContext {
  /// The client that runs the mutation.
  public var client: QueryClient { facts.client.client }
}
