public import Observation
@_spi(Adapters) public import StreamQuery

/// A position in pages as an observable object, with the query of the shown page.
///
/// ```swift
/// let repositories = ObservedPagination(Pagination(input: "swift"), client: client) { text, page in
///   .search(text, page)
/// }
/// show(repositories.query.data, repositories.page)
/// repositories.moveToNextPage()
/// repositories.input = "kotlin"        // its first page
/// ```
///
/// Each page is a query of its own, with input and page in its key: going back to a fresh page makes no
/// request. While a page is fetched for the first time, the former page is shown.
@MainActor @Observable
public final class ObservedPagination<
  Input: Hashable & Sendable,
  Page: Hashable & Sendable,
  Value: Sendable
> {
  /// The query of the shown page: it has the results, and its methods start and stop the observation.
  @ObservationIgnored public let query: ObservedQuery<Value>

  /// A function that applies arriving changes, for example inside of an animation; it is not called for moves
  /// to another page.
  public var changeContext: ChangeContext? {
    get { query.changeContext }
    set { query.changeContext = newValue }
  }

  /// The position: the input and the page that are shown.
  public private(set) var pagination: Pagination<Input, Page>

  @ObservationIgnored private var queryOfPage: @Sendable (Input, Page) -> Query<Value>

  /// Creates an object that observes a page from now on.
  ///
  /// - Parameters:
  ///   - pagination: The first position.
  ///   - client: The client.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the former page stays on the screen until the data of the new page has
  ///     come.
  ///   - query: Returns the query of a page; its key must contain input and page.
  public convenience init(
    _ pagination: Pagination<Input, Page>,
    client: QueryClient,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = true,
    query: @escaping @Sendable (Input, Page) -> Query<Value>
  ) {
    self.init(
      pagination,
      options: options,
      keepsPreviousData: keepsPreviousData,
      query: query
    )
    self.query.start(using: client)
  }

  /// Creates an object that observes nothing until its query is started.
  ///
  /// - Parameters:
  ///   - pagination: The first position.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the former page stays on the screen until the data of the new page has
  ///     come.
  ///   - query: Returns the query of a page; its key must contain input and page.
  public init(
    _ pagination: Pagination<Input, Page>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = true,
    query: @escaping @Sendable (Input, Page) -> Query<Value>
  ) {
    self.pagination = pagination
    queryOfPage = query
    self.query = ObservedQuery(
      query(pagination.input, pagination.page),
      options: options,
      keepsPreviousData: keepsPreviousData
    )
  }

  /// Observes the pages of an input from now on; see ``ObservedQuery/follow(_:options:debounce:using:)``.
  ///
  /// - Parameters:
  ///   - input: The new input, which is shown from its initial page; `nil` or the present input changes
  ///     nothing.
  ///   - options: Options of the observer; `nil` keeps the present ones.
  ///   - debounce: The wait before the query of another input is observed, as in
  ///     ``ObservedQuery/update(query:options:debounce:)``; the position changes at once.
  ///   - client: The client.
  ///   - query: Returns the query of a page; `nil` keeps the present closure.
  public func follow(
    input: Input? = nil,
    options: ObserverOptions? = nil,
    debounce: Duration? = nil,
    using client: QueryClient,
    query: (@Sendable (Input, Page) -> Query<Value>)? = nil
  ) {
    self.query.follow(
      place(input, query),
      options: options,
      debounce: debounce,
      using: client
    )
  }

  /// Shows the result that a new observer would first show, without observing.
  func preview(
    _ input: Input?,
    _ options: ObserverOptions?,
    _ query: @escaping @Sendable (Input, Page) -> Query<Value>,
    _ client: QueryClient
  ) {
    self.query.preview(place(input, query), options, client)
  }

  /// Stops observing and shows nothing, until a call names pages again; the position stays.
  func showNothing() {
    query.showNothing()
    // The release of the observer can call `onEvent`, which may have started the object again.
    if query.client == nil { queryOfPage = { _, _ in .none } }
  }

  /// Stores new arguments, and returns the query of the page at the position.
  private func place(
    _ input: Input?,
    _ query: (@Sendable (Input, Page) -> Query<Value>)?
  ) -> Query<Value> {
    if let query { queryOfPage = query }
    if let input, input != pagination.input { pagination.input = input }
    return queryOfPage(pagination.input, pagination.page)
  }

  /// The input of the shown pages; setting another input shows its initial page.
  public var input: Input {
    get { pagination.input }
    set { move { $0.input = newValue } }
  }

  /// The shown page.
  public var page: Page { pagination.page }

  /// Whether there is a page before the shown one.
  public var canMoveToPreviousPage: Bool { pagination.canMoveToPreviousPage }

  /// Moves to the page after the shown one.
  public func moveToNextPage() { move { $0.moveToNextPage() } }

  /// Moves to the page before the shown one, if there is one.
  public func moveToPreviousPage() { move { $0.moveToPreviousPage() } }

  /// Moves to any page.
  ///
  /// - Parameter page: The page.
  public func move(to page: Page) { move { $0.move(to: page) } }

  /// Moves to the initial page.
  public func reset() { move { $0.reset() } }

  private func move(_ change: (inout Pagination<Input, Page>) -> Void) {
    var new = pagination
    change(&new)
    guard !new.isSamePlace(as: pagination) else { return }
    pagination = new
    query.update(query: queryOfPage(new.input, new.page))
  }
}

extension ObservedPagination: WitnessedObject {
  var witness: (any ReaderWitness)? {
    get { query.witness }
    set { query.witness = newValue }
  }
}
