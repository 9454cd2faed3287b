import Synchronization

/// One observer that follows a position in pages, each of which is a separately cached query.
///
/// ```swift
/// let pages = client.paginated(Pagination(input: "swift")) { text, page in .search(text, page) }
/// Task {
///   for await result in pages.stream { show(result.data) }
/// }
/// pages.moveToNextPage()
/// pages.input = "kotlin"             // starts at the first page again
/// ```
///
/// A move is not a new subscription: the new page shows its cached data at once and is fetched only
/// if that is missing or stale. Former pages stay cached for their retention.
public final class PaginatedObserver<
  Input: Hashable & Sendable,
  Page: Hashable & Sendable,
  Value: Sendable
>: Sendable {
  private let observer: QueryObserver<Value>
  private let query: @Sendable (Input, Page) -> Query<Value>
  private let position: Mutex<Position>

  private struct Position {
    var pagination: Pagination<Input, Page>
    /// The number of moves.
    var serial = 0
  }

  init(
    _ pagination: Pagination<Input, Page>,
    observer: QueryObserver<Value>,
    query: @escaping @Sendable (Input, Page) -> Query<Value>
  ) {
    self.observer = observer
    self.query = query
    position = Mutex(Position(pagination: pagination))
  }

  /// The position of the observer.
  public var pagination: Pagination<Input, Page> { position.withLock { $0.pagination } }

  /// The input of the pages that are shown; setting another input starts at its initial page.
  public var input: Input {
    get { pagination.input }
    set { move { $0.input = newValue } }
  }

  /// The current page.
  public var page: Page { pagination.page }

  /// Whether there is a page before the current one.
  public var canMoveToPreviousPage: Bool { pagination.canMoveToPreviousPage }

  /// The snapshots of the current page as a stream for one observer.
  public var stream: AsyncStream<QueryResult<Value>> { observer.stream }

  /// The snapshots of the current page as a sequence that stays on the caller's actor.
  public var results: QueryResults<Value> { observer.results }

  /// The current result.
  public var result: QueryResult<Value> { observer.result }

  /// Moves to the page after the current one.
  public func moveToNextPage() { move { $0.moveToNextPage() } }

  /// Moves to the page before the current one, if there is one.
  public func moveToPreviousPage() { move { $0.moveToPreviousPage() } }

  /// Moves to any page.
  ///
  /// - Parameter page: The page.
  public func move(to page: Page) { move { $0.move(to: page) } }

  /// Moves to the initial page.
  public func reset() { move { $0.reset() } }

  /// Fetches the current page, whether stale or not, and waits until the fetch is settled.
  ///
  /// - Returns: The result after the fetch, with its error if it failed.
  /// - Throws: ``QueryError/missingFetch(key:)`` if the query cannot fetch; ``QueryError/shutDown``.
  @discardableResult
  public func refetch() async throws -> QueryResult<Value> { try await observer.refetch() }

  private func move(_ change: (inout Pagination<Input, Page>) -> Void) {
    while true {
      // The closures of a position are user code, so they run on a copy, outside the lock.
      let (serial, old) = position.withLock { ($0.serial, $0.pagination) }
      var new = old
      change(&new)
      guard !new.isSamePlace(as: old) else { return }
      let isCurrent = position.withLock { position in
        guard position.serial == serial else { return false }
        position.serial += 1
        position.pagination = new
        return true
      }
      if isCurrent { break }
    }
    follow()
  }

  /// Observes the query of the position; of several concurrent moves, the last one wins.
  private func follow() {
    while true {
      let (serial, pagination) = position.withLock { ($0.serial, $0.pagination) }
      observer.update(query: query(pagination.input, pagination.page))
      if position.withLock({ $0.serial == serial }) { return }
    }
  }
}

nonisolated extension QueryClient {
  /// Observes pages one at a time, each as a separate query.
  ///
  /// - Parameters:
  ///   - pagination: The first position.
  ///   - options: Options of the observer, over those of the query.
  ///   - query: The query of a page; its key must contain input and page.
  /// - Returns: The observer; from now on it counts as an observer of the page's query.
  public nonisolated func paginated<Input, Page, Value>(
    _ pagination: Pagination<Input, Page>,
    options: ObserverOptions? = nil,
    query: @escaping @Sendable (Input, Page) -> Query<Value>
  ) -> PaginatedObserver<Input, Page, Value> {
    PaginatedObserver(
      pagination,
      observer: observer(of: query(pagination.input, pagination.page), options: options),
      query: query
    )
  }
}
