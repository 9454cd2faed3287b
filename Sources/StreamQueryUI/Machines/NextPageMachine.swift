/// Decides when the next page is fetched for a view at the end of a list.
///
/// | told | shown | not shown |
/// |---|---|---|
/// | it appears | | look at the end of the turn |
/// | the query shows something else | look at the end of the turn | nothing |
/// | the turn ends in which it appeared | fetch, also if that has failed before | nothing |
/// | another turn ends | fetch, unless that has failed | nothing |
///
/// No page is fetched while the query is fetching, or if there is no further page. A page that arrives may
/// push the view off the screen, which the view learns in the same turn; so the machine waits for the end of
/// the turn. Also, a view appears before a modifier around it that begins the observation, in the same turn.
struct NextPageMachine: Equatable {
  /// The facts that the query has about its pages.
  struct Facts: Equatable {
    var hasNextPage: Bool
    /// Whether no fetch runs or waits.
    var isIdle: Bool
    /// Whether the fetch of that page has failed.
    var isError: Bool
    /// The number of pages, and the time of their last change: each page is a reason to look again.
    var count: Int
    var updated: Double?

    fileprivate var isReady: Bool { hasNextPage && isIdle }
  }

  /// The next action.
  enum Step: Equatable {
    case nothing
    /// Fetch the page.
    case fetch
    /// Wait for the end of this turn.
    case awaitEndOfTurn
  }

  /// The reason for a wait for the end of the turn.
  private enum Reason {
    /// The query has changed.
    case changed
    /// The view has appeared, so a failed page is tried again.
    case appeared
  }

  private var count = 0
  private var reason: Reason?

  /// The view, or one of several that it makes, appears.
  mutating func appeared() -> Step {
    count += 1
    return count == 1 ? awaitEndOfTurn(.appeared) : .nothing
  }

  /// The view, or one of several, disappears.
  mutating func disappeared() {
    count = max(0, count - 1)
  }

  /// The query has changed, or is another one.
  mutating func changed() -> Step {
    count > 0 ? awaitEndOfTurn(.changed) : .nothing
  }

  /// The turn is over.
  ///
  /// - Parameter facts: The facts of the query; `nil` if it is gone.
  /// - Returns: The action.
  mutating func turnEnded(_ facts: Facts?) -> Step {
    let triesAgain = reason == .appeared
    reason = nil
    guard let facts, count > 0, facts.isReady else { return .nothing }
    return triesAgain || !facts.isError ? .fetch : .nothing
  }

  private mutating func awaitEndOfTurn(_ reason: Reason) -> Step {
    let isAwaited = self.reason != nil
    if self.reason != .appeared { self.reason = reason }
    return isAwaited ? .nothing : .awaitEndOfTurn
  }
}
