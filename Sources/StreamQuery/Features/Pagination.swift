/// A position in numbered or cursored pages: an input, and a page of it.
///
/// In the paginated style each page is a separate query, with input and page in its key, and is
/// cached separately: going back to a fresh page makes no request. (In the other style,
/// ``InfiniteQuery``, one query holds all fetched pages.)
///
/// ```swift
/// var place = Pagination(input: "swift", initialPage: 1) { $0 + 1 } previousPage: { $0 - 1 }
///   canMoveToPreviousPage: { $0 > 1 }
/// place.moveToNextPage()       // page 2 of "swift"
/// place.input = "kotlin"       // page 1 of "kotlin"
/// ```
///
/// A pagination is a plain value: it fetches nothing. ``PaginatedObserver`` observes the page.
public struct Pagination<Input: Hashable & Sendable, Page: Hashable & Sendable>: Sendable,
  _FreeOfActors
{
  /// The input of the pages, such as a search text; setting another input starts at the initial
  /// page.
  public var input: Input {
    didSet { if input != oldValue { page = initialPage } }
  }

  /// The current page.
  public private(set) var page: Page

  /// The page at which every input starts.
  public let initialPage: Page

  private let nextPage: @Sendable (Page) -> Page
  private let previousPage: @Sendable (Page) -> Page
  private let canMoveBack: @Sendable (Page) -> Bool

  /// Creates a position at the initial page.
  ///
  /// - Parameters:
  ///   - input: The input of the pages.
  ///   - initialPage: The page at which every input starts.
  ///   - nextPage: Returns the page after a page.
  ///   - previousPage: Returns the page before a page; called only where moving back is allowed.
  ///   - canMoveToPreviousPage: Whether there is a page before a page; by default, before every page
  ///     except the initial one.
  public init(
    input: Input,
    initialPage: Page,
    nextPage: @escaping @Sendable (Page) -> Page,
    previousPage: @escaping @Sendable (Page) -> Page,
    canMoveToPreviousPage: (@Sendable (Page) -> Bool)? = nil
  ) {
    self.input = input
    self.initialPage = initialPage
    page = initialPage
    self.nextPage = nextPage
    self.previousPage = previousPage
    canMoveBack = canMoveToPreviousPage ?? { $0 != initialPage }
  }

  /// Whether there is a page before the current one.
  public var canMoveToPreviousPage: Bool { canMoveBack(page) }

  /// Moves to the page after the current one.
  public mutating func moveToNextPage() {
    page = nextPage(page)
  }

  /// Moves to the page before the current one.
  ///
  /// - Returns: Whether there is one; if not, nothing changes.
  @discardableResult
  public mutating func moveToPreviousPage() -> Bool {
    guard canMoveToPreviousPage else { return false }
    page = previousPage(page)
    return true
  }

  /// Moves to any page.
  ///
  /// - Parameter page: The page.
  public mutating func move(to page: Page) {
    self.page = page
  }

  /// Moves to the initial page.
  public mutating func reset() {
    page = initialPage
  }

  /// Whether two positions show the same page of the same input.
  ///
  /// - Parameter other: Another position.
  /// - Returns: Whether input and page are equal.
  @_spi(Adapters) public func isSamePlace(as other: Self) -> Bool {
    input == other.input && page == other.page
  }
}

extension Pagination where Page == Int {
  /// Creates a position in pages that are counted, or in offsets that grow by a step.
  ///
  /// - Parameters:
  ///   - input: The input of the pages.
  ///   - initialPage: The page at which every input starts; there is none before it.
  ///   - step: The distance from a page to the next.
  public init(input: Input, initialPage: Page = 1, step: Page = 1) {
    self.init(
      input: input,
      initialPage: initialPage,
      // A move past the last number must not trap: it stays at that page.
      nextPage: {
        let (page, overflows) = $0.addingReportingOverflow(step)
        return overflows ? $0 : page
      },
      previousPage: {
        let (page, overflows) = $0.subtractingReportingOverflow(step)
        return overflows ? initialPage : Swift.max(page, initialPage)
      },
      canMoveToPreviousPage: { $0 > initialPage }
    )
  }
}
