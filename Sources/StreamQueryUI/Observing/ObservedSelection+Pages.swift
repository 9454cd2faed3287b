public import StreamQuery

// Infinite queries: what they show of their pages, and commands.
extension ObservedSelection where Stored: PageSequenceValue {
  /// Whether there is a page after the last cached one.
  public var hasNextPage: Bool {
    noteRead(of: .hasNextPage)
    return present.stored.hasNextPage
  }

  /// Whether there is a page before the first cached one.
  public var hasPreviousPage: Bool {
    noteRead(of: .hasPreviousPage)
    return present.stored.hasPreviousPage
  }

  /// Whether the page after the last one is being fetched.
  public var isFetchingNextPage: Bool {
    noteRead(of: .isFetchingNextPage)
    return present.stored.isFetchingNextPage
  }

  /// Whether the page before the first one is being fetched.
  public var isFetchingPreviousPage: Bool {
    noteRead(of: .isFetchingPreviousPage)
    return present.stored.isFetchingPreviousPage
  }

  /// Whether the fetch of the page after the last one failed.
  public var isFetchNextPageError: Bool {
    noteRead(of: .isFetchNextPageError)
    return present.stored.isFetchNextPageError
  }

  /// Whether the fetch of the page before the first one failed.
  public var isFetchPreviousPageError: Bool {
    noteRead(of: .isFetchPreviousPageError)
    return present.stored.isFetchPreviousPageError
  }

  /// Fetches the page after the last one, and waits for it.
  ///
  /// Nothing is fetched if there is none, and by an object that does not observe. A failure is in
  /// the result; cancelling the caller ends its wait and not the fetch.
  ///
  /// - Returns: The result that is shown after the fetch.
  @discardableResult
  public func fetchNextPage() async -> QueryResult<Selected> {
    _ = try? await withObserver { try await $0.fetchNextPage() }
    return present.shown
  }

  /// Fetches the page before the first one, and waits for it.
  ///
  /// - Returns: The result that is shown after the fetch; see ``fetchNextPage()->_``.
  @discardableResult
  public func fetchPreviousPage() async -> QueryResult<Selected> {
    _ = try? await withObserver { try await $0.fetchPreviousPage() }
    return present.shown
  }
}

extension ObservedSelection where Selected: PageSequenceValue {
  /// The pages; none without data.
  public var pages: [Selected.Page] { data?.pages ?? [] }
}
