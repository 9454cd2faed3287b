extension Pages: PageSequenceValue {}

extension QueryResult where Value: PageSequenceValue {
  /// The pages; none without data.
  public var pages: [Value.Page] { data?.pages ?? [] }

  /// Whether there is a page after the last cached one, by `nextPageParam`.
  ///
  /// A selection keeps the answer, which refers to the pages that the selection was made from.
  public var hasNextPage: Bool {
    snapshot.source.map { snapshot.paging?.hasNextPage($0) ?? false } ?? false
  }

  /// Whether there is a page before the first cached one, by `previousPageParam`.
  ///
  /// A selection keeps the answer, which refers to the pages that the selection was made from.
  public var hasPreviousPage: Bool {
    snapshot.source.map { snapshot.paging?.hasPreviousPage($0) ?? false } ?? false
  }

  /// Whether the page after the last one is being fetched.
  public var isFetchingNextPage: Bool { isFetching && snapshot.part == .nextPage }

  /// Whether the page before the first one is being fetched.
  public var isFetchingPreviousPage: Bool { isFetching && snapshot.part == .previousPage }

  /// Whether the fetch of the page after the last one failed.
  public var isFetchNextPageError: Bool { isError && snapshot.part == .nextPage }

  /// Whether the fetch of the page before the first one failed.
  public var isFetchPreviousPageError: Bool { isError && snapshot.part == .previousPage }
}
