#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension View {
  /// Sets a property wrapper's infinite query by its key and the fetch of a page.
  ///
  /// ```swift
  /// struct TopicView: View {
  ///   let topic: String
  ///   @LiveInfiniteQuery<FeedPage, Int> private var feed
  ///
  ///   var body: some View {
  ///     List {
  ///       ForEach(feed.pages.flatMap(\.items), id: \.self) { Text($0) }
  ///       if feed.hasNextPage { ProgressView().fetchesNextPage(of: feed) }
  ///     }
  ///     .infiniteQuery($feed, key: ["feed", topic], initialPageParam: 1) { [topic] page in
  ///       try await api.feed(topic, page)
  ///     } nextPageParam: {
  ///       $0.lastPage.next
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// For an `InfiniteQuery` value, use `query(_:_:)`.
  ///
  /// - Parameters:
  ///   - live: The property wrapper.
  ///   - key: The key, which must have every input of the fetch.
  ///   - initialPageParam: The parameter of the first page.
  ///   - maxPages: The maximum number of pages in the cache, at least one.
  ///   - enabled: Whether the query fetches by itself.
  ///   - fetch: Fetches a page by its parameter.
  ///   - nextPageParam: Returns the parameter of the page after the last one; `nil` if there is no such page.
  ///   - previousPageParam: Returns the parameter of the page before the first one; `nil` if there is no such
  ///     page.
  /// - Returns: The view.
  public func infiniteQuery<Page, PageParam, Object: _QueryObjectMembers>(
    _ live: LiveHandle<Object>,
    key: QueryKey<Pages<Page, PageParam>>,
    initialPageParam: PageParam,
    maxPages: Int? = nil,
    enabled: Bool = true,
    fetch: @escaping @Sendable @concurrent (PageParam) async throws -> Page,
    nextPageParam: @escaping @Sendable (Pages<Page, PageParam>) -> PageParam?,
    previousPageParam: (@Sendable (Pages<Page, PageParam>) -> PageParam?)? = nil
  ) -> some View where Object.Stored == Pages<Page, PageParam> {
    query(
      live,
      InfiniteQuery(
        key: key,
        initialPageParam: initialPageParam,
        maxPages: maxPages,
        fetch: { param, _ in try await fetch(param) },
        nextPageParam: nextPageParam,
        previousPageParam: previousPageParam
      ).enabled(enabled)
    )
  }

  /// Sets a property wrapper's pages, for input and queries that depend on the view's state.
  ///
  /// ```swift
  /// struct RepositoriesView: View {
  ///   @State private var text = ""
  ///   @LivePagination(Pagination(input: "")) private var found: ObservedPagination<String, Int, [Repo]>
  ///
  ///   var body: some View {
  ///     List(found.query.data ?? []) { Text($0.name) }
  ///       .searchable(text: $text)
  ///       .pagination($found, input: text) { text, page in .search(text, page) }
  ///   }
  /// }
  /// ```
  ///
  /// Another input starts at the initial page. The wrapper observes while this view is shown.
  ///
  /// - Parameters:
  ///   - live: The property wrapper; a query that it was declared with is not observed.
  ///   - input: The input of the pages. Each update sets it, so set it nowhere else; with `nil`, the property
  ///     keeps its own input.
  ///   - debounce: For search as you type: a query with new input is observed when no other input was set for
  ///     this time; meanwhile the former pages are shown. `nil` means no wait.
  ///   - query: Returns the query of a page; its key must contain input and page.
  /// - Returns: The view.
  public func pagination<Input, Page, Value>(
    _ live: LiveHandle<ObservedPagination<Input, Page, Value>>,
    input: Input? = nil,
    debounce: Duration? = nil,
    query: @escaping @Sendable (Input, Page) -> Query<Value>
  ) -> some View {
    asking(live) { $0.configure(input, query, $1, $2, $3, debounce: debounce) }
  }
}
#endif
