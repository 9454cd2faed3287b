#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import StreamQuery

// Infinite queries: facts about their pages, and commands.
extension _QueryObjectMembers where Stored: PageSequenceValue {
  /// Whether there is a page after the last cached one.
  public var hasNextPage: Bool { readStored(.hasNextPage) { $0.hasNextPage } }

  /// Whether there is a page before the first cached one.
  public var hasPreviousPage: Bool { readStored(.hasPreviousPage) { $0.hasPreviousPage } }

  /// Whether the page after the last one is being fetched.
  public var isFetchingNextPage: Bool { readStored(.isFetchingNextPage) { $0.isFetchingNextPage } }

  /// Whether the page before the first one is being fetched.
  public var isFetchingPreviousPage: Bool {
    readStored(.isFetchingPreviousPage) { $0.isFetchingPreviousPage }
  }

  /// Whether there is an error, and the running or last fetch is of the page after the last one.
  public var isFetchNextPageError: Bool {
    readStored(.isFetchNextPageError) { $0.isFetchNextPageError }
  }

  /// Whether there is an error, and the running or last fetch is of the page before the first one.
  public var isFetchPreviousPageError: Bool {
    readStored(.isFetchPreviousPageError) { $0.isFetchPreviousPageError }
  }

  /// Fetches the page after the last one, and waits for it.
  ///
  /// Nothing is fetched if there is no such page, or if the object does not observe. A failure is in the
  /// result. Cancelling the caller ends its wait and not the fetch.
  ///
  /// - Returns: The result after the fetch.
  @discardableResult
  public func fetchNextPage() async -> QueryResult<Value> {
    _ = try? await withObserver { try await $0.fetchNextPage() }
    return present.shown
  }

  /// Fetches the page before the first one, and waits for it.
  ///
  /// - Returns: The result after the fetch; see ``fetchNextPage()->_``.
  @discardableResult
  public func fetchPreviousPage() async -> QueryResult<Value> {
    _ = try? await withObserver { try await $0.fetchPreviousPage() }
    return present.shown
  }

  /// Fetches the page after the last one like ``fetchNextPage()->_``, and can throw a failure.
  ///
  /// - Parameter throwOnError: Whether a failure is thrown, and not only shown in the result.
  /// - Returns: The result after the fetch.
  /// - Throws: With `throwOnError`, the error of the page's fetch, which is also in the result, and
  ///   `CancellationError` if the object does not observe; otherwise nothing.
  @discardableResult
  public func fetchNextPage(throwOnError: Bool) async throws -> QueryResult<Value> {
    guard throwOnError else { return await fetchNextPage() }
    return try await fetchPageThrowing {
      try await $0.fetchNextPage()
    } isError: {
      $0.isFetchNextPageError
    }
  }

  /// Fetches the page before the first one like ``fetchPreviousPage()->_``, and can throw a failure.
  ///
  /// - Parameter throwOnError: Whether a failure is thrown, and not only shown in the result.
  /// - Returns: The result after the fetch.
  /// - Throws: The errors of ``fetchNextPage(throwOnError:)``.
  @discardableResult
  public func fetchPreviousPage(throwOnError: Bool) async throws -> QueryResult<Value> {
    guard throwOnError else { return await fetchPreviousPage() }
    return try await fetchPageThrowing {
      try await $0.fetchPreviousPage()
    } isError: {
      $0.isFetchPreviousPageError
    }
  }

  private func fetchPageThrowing(
    _ fetch: (QueryObserver<Stored>) async throws -> QueryResult<Stored>,
    isError: (QueryResult<Stored>) -> Bool
  ) async throws -> QueryResult<Value> {
    guard let result = try await withObserver(fetch) else { throw CancellationError() }
    if isError(result), let error = result.error { throw error }
    return present.shown
  }
}

extension _QueryObjectMembers where Value: PageSequenceValue {
  /// The pages of the data; empty without data.
  public var pages: [Value.Page] { data?.pages ?? [] }
}

extension _QueryObjectMembers where Stored: PageSequenceValue {
  /// The facts that decide whether the next page is fetched; a reader is told when one of them changes.
  var nextPageFacts: NextPageMachine.Facts {
    noteRead(of: .data)
    return NextPageMachine.Facts(
      isReady: hasNextPage && fetchStatus == .idle,
      isError: isFetchNextPageError,
      count: present.stored.data?.pages.count ?? 0,
      updated: dataUpdatedAt?.timeIntervalSinceReferenceDate
    )
  }
}
