/// A query whose value is a run of pages; every call that takes a ``Query`` takes it.
///
/// ```swift
/// extension InfiniteQuery<FeedPage, Int> {
///   static var feed: Self {
///     Self("feed", initialPageParam: 1, maxPages: 5) { page, _ in try await api.feed(page) }
///       nextPageParam: { $0.lastPage.next } previousPageParam: { $0.firstPage.previous }
///   }
/// }
/// for await feed in client.stream(.feed) { show(feed.data?.pages, more: feed.hasNextPage) }
/// try await client.fetchNextPage(of: .feed)
/// ```
///
/// A refetch fetches as many pages as there were, one after the other, from the first stored
/// parameter, and replaces them all at once. A retry continues with the page that failed.
///
/// A parameter may be optional, such as a cursor that the first page does not have. If the parameter
/// of a further page would be `nil`, there is no such page.
public typealias InfiniteQuery<Page: Sendable, PageParam: Hashable & Sendable> =
  Query<Pages<Page, PageParam>>

extension Query {
  /// Creates an infinite query.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - initialPageParam: The parameter of the first page.
  ///   - maxPages: The maximum number of pages to keep, at least one; adding a page drops the pages
  ///     beyond that number at the other end.
  ///   - fetch: Fetches a page by its parameter.
  ///   - nextPageParam: The parameter of the page after the last one; `nil` if there is none.
  ///   - previousPageParam: The parameter of the page before the first one; `nil` if there is none.
  public init<Page, PageParam, each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    initialPageParam: PageParam,
    maxPages: Int? = nil,
    fetch: @escaping @Sendable @concurrent (PageParam, FetchContext) async throws -> Page,
    nextPageParam: @escaping @Sendable (Pages<Page, PageParam>) -> PageParam?,
    previousPageParam: (@Sendable (Pages<Page, PageParam>) -> PageParam?)? = nil
  ) where Value == Pages<Page, PageParam> {
    self.init(
      key: QueryKey(repeat each part, fields: fields),
      initialPageParam: initialPageParam,
      maxPages: maxPages,
      fetch: fetch,
      nextPageParam: nextPageParam,
      previousPageParam: previousPageParam
    )
  }

  /// Creates an infinite query from an existing key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initialPageParam: The parameter of the first page.
  ///   - maxPages: The maximum number of pages to keep, at least one; adding a page drops the pages
  ///     beyond that number at the other end.
  ///   - fetch: Fetches a page by its parameter.
  ///   - nextPageParam: The parameter of the page after the last one; `nil` if there is none.
  ///   - previousPageParam: The parameter of the page before the first one; `nil` if there is none.
  public init<Page, PageParam>(
    key: QueryKey<Value>,
    initialPageParam: PageParam,
    maxPages: Int? = nil,
    fetch: @escaping @Sendable @concurrent (PageParam, FetchContext) async throws -> Page,
    nextPageParam: @escaping @Sendable (Pages<Page, PageParam>) -> PageParam?,
    previousPageParam: (@Sendable (Pages<Page, PageParam>) -> PageParam?)? = nil
  ) where Value == Pages<Page, PageParam> {
    self.init(
      key: key,
      definition: .pages(
        initialParam: initialPageParam,
        rules: PageRules(
          maxPages: maxPages.map { Swift.max(1, $0) },
          next: nextPageParam,
          previous: previousPageParam
        ),
        fetchPage: fetch
      )
    )
  }

  /// Creates an infinite query whose page fetch needs no context.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - initialPageParam: The parameter of the first page.
  ///   - maxPages: The maximum number of pages to keep.
  ///   - fetch: Fetches a page by its parameter.
  ///   - nextPageParam: The parameter of the page after the last one; `nil` if there is none.
  ///   - previousPageParam: The parameter of the page before the first one; `nil` if there is none.
  public init<Page, PageParam, each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    initialPageParam: PageParam,
    maxPages: Int? = nil,
    fetch: @escaping @Sendable @concurrent (PageParam) async throws -> Page,
    nextPageParam: @escaping @Sendable (Pages<Page, PageParam>) -> PageParam?,
    previousPageParam: (@Sendable (Pages<Page, PageParam>) -> PageParam?)? = nil
  ) where Value == Pages<Page, PageParam> {
    self.init(
      repeat each part,
      fields: fields,
      initialPageParam: initialPageParam,
      maxPages: maxPages,
      fetch: { param, _ in try await fetch(param) },
      nextPageParam: nextPageParam,
      previousPageParam: previousPageParam
    )
  }

  /// Creates an infinite query over cursors: the first page is requested with `nil`.
  ///
  /// ```swift
  /// InfiniteQuery("list") { cursor, _ in try await api.list(after: cursor) }
  ///   nextPageParam: { $0.lastPage.cursor }
  /// ```
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - maxPages: The maximum number of pages to keep.
  ///   - fetchPage: Fetches a page by its cursor.
  ///   - nextPageParam: The cursor of the page after the last one; `nil` if there is none.
  ///   - previousPageParam: The cursor of the page before the first one; `nil` if there is none.
  public init<Page, Cursor, each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    maxPages: Int? = nil,
    fetchPage: @escaping @Sendable @concurrent (Cursor?, FetchContext) async throws -> Page,
    nextPageParam: @escaping @Sendable (Pages<Page, Cursor?>) -> Cursor?,
    previousPageParam: (@Sendable (Pages<Page, Cursor?>) -> Cursor?)? = nil
  ) where Value == Pages<Page, Cursor?> {
    let previous = previousPageParam.map {
      cursor -> @Sendable (Pages<Page, Cursor?>) -> Cursor?? in { .some(cursor($0)) }
    }
    self.init(
      repeat each part,
      fields: fields,
      initialPageParam: Cursor?.none,
      maxPages: maxPages,
      fetch: fetchPage,
      nextPageParam: { .some(nextPageParam($0)) },
      previousPageParam: previous
    )
  }

  /// Returns a query whose refetches fetch only the first page and keep the others.
  ///
  /// Use it for feeds whose new items arrive at the top: a refetch costs one request for any number of
  /// pages. Items that moved between pages may then show twice or not at all. Invalidated data counts as
  /// fresh again, with all its pages, as soon as the first page is refetched.
  ///
  /// - Returns: The changed query.
  public func refetchingFirstPageOnly<Page, PageParam>() -> Self
  where Value == Pages<Page, PageParam> {
    guard let changed = definition.variant?() else { return self }
    return Query(key: key, definition: changed.takingOptions(optionsOf: definition))
  }
}
