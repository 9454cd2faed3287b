/// Where a reader is in numbered or cursored pages: an input, and a page of it.
///
/// In the paginated style each page is a query of its own, with input and page in its key, so every
/// visited page is cached by itself: going back to a fresh one makes no request. (In the other style,
/// ``InfiniteQuery``, one query holds all pages that were loaded.)
///
/// ```swift
/// var place = Pagination(input: "swift", initialPage: 1) { $0 + 1 } previousPage: { $0 - 1 }
///   canMoveToPreviousPage: { $0 > 1 }
/// place.moveToNextPage()       // page 2 of "swift"
/// place.input = "kotlin"       // page 1 of "kotlin"
/// ```
///
/// A plain value: it decides, and fetches nothing. ``PaginatedObserver`` observes what it points at.
public struct Pagination<Input: Hashable & Sendable, Page: Hashable & Sendable>: Sendable,
  _FreeOfActors
{
  /// What is paged through, as a search text; another input starts at the initial page.
  public var input: Input {
    didSet { if input != oldValue { page = initialPage } }
  }

  /// The present page.
  public private(set) var page: Page

  /// The page that every input starts with.
  public let initialPage: Page

  private let nextPage: @Sendable (Page) -> Page
  private let previousPage: @Sendable (Page) -> Page
  private let canMoveBack: @Sendable (Page) -> Bool

  /// Creates a place at the initial page.
  ///
  /// - Parameters:
  ///   - input: What is paged through.
  ///   - initialPage: The page that every input starts with.
  ///   - nextPage: The page after a page.
  ///   - previousPage: The page before a page; asked only where moving back is allowed.
  ///   - canMoveToPreviousPage: Whether there is a page before a page; by default, before every page
  ///     but the initial one.
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

  /// Whether there is a page before the present one.
  public var canMoveToPreviousPage: Bool { canMoveBack(page) }

  /// Moves to the page after the present one.
  public mutating func moveToNextPage() {
    page = nextPage(page)
  }

  /// Moves to the page before the present one.
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

  /// Whether two places show the same page of the same input.
  ///
  /// - Parameter other: Another place.
  /// - Returns: Whether they do.
  public func isSamePlace(as other: Self) -> Bool {
    input == other.input && page == other.page
  }
}

extension Pagination where Page == Int {
  /// Creates a place in pages that are counted, or in offsets that grow by a step.
  ///
  /// - Parameters:
  ///   - input: What is paged through.
  ///   - initialPage: The page that every input starts with; none is before it.
  ///   - step: How far a page is from the next.
  public init(input: Input, initialPage: Page = 1, step: Page = 1) {
    self.init(
      input: input,
      initialPage: initialPage,
      // The last number must not trap: there, moving stays in place.
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
