#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension View {
  /// Says which infinite query a property wrapper observes, by its key and how pages are fetched.
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
  /// An `InfiniteQuery` that exists already is said by `query(_:_:)`, as any other.
  ///
  /// - Parameters:
  ///   - live: The property wrapper.
  ///   - key: The key; what the fetch depends on must be in it.
  ///   - initialPageParam: The parameter of the first page.
  ///   - maxPages: The maximum number of pages to keep, at least one.
  ///   - enabled: Whether it fetches by itself.
  ///   - fetch: Fetches a page by its parameter.
  ///   - nextPageParam: The parameter of the page after the last one; `nil` if there is none.
  ///   - previousPageParam: The parameter of the page before the first one; `nil` if there is none.
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

  /// Says which pages a property wrapper shows, for input and queries that depend on the view's
  /// state.
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
  /// Another input starts at the initial page. It observes from the appearance of this view to its
  /// disappearance.
  ///
  /// - Parameters:
  ///   - live: The property wrapper; a query that it names itself is not observed.
  ///   - input: What the pages belong to. It is said at each update, so set it nowhere else; `nil`
  ///     leaves it to the property.
  ///   - debounce: How long the query of another input waits, as in search as you type, until no newer one has
  ///     come; meanwhile the former pages are shown. `nil` observes it at once.
  ///   - query: The query of a page; its key must contain input and page.
  /// - Returns: The view.
  public func pagination<Input, Page, Value>(
    _ live: LiveHandle<ObservedPagination<Input, Page, Value>>,
    input: Input? = nil,
    debounce: Duration? = nil,
    query: @escaping @Sendable (Input, Page) -> Query<Value>
  ) -> some View {
    asking(live) { $0.asked(input, query, $1, $2, $3, debounce: debounce) }
  }
}
#endif
