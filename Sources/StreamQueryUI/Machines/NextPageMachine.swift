/// Decides when the next page is fetched for a view at the end of a list.
///
/// | event | shown | not shown |
/// |---|---|---|
/// | the view appears | | decide at the end of the turn |
/// | the query changes | decide at the end of the turn | nothing |
/// | the turn ends in which it appeared | fetch, also if that has failed before | nothing |
/// | another turn ends | fetch, unless that has failed | nothing |
///
/// No page is fetched while the query is fetching, or if there is no further page. The machine waits for the
/// end of the turn for two reasons. A page that arrives may push the view off the screen, which is reported
/// in the same turn. And a view appears before a modifier around it begins the observation, in the same turn.
struct NextPageMachine: Equatable {
  /// The facts about the query's pages.
  struct Facts: Equatable {
    /// Whether there is a next page, and no fetch runs or waits.
    var isReady: Bool
    /// Whether the last fetch of the next page has failed.
    var isError: Bool
    /// The number of pages, and the time of their last change; each new page makes the machine decide again.
    var count: Int
    var updated: Double?
  }

  /// The action that follows from an event.
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
    /// The view has appeared, so that a failed page is fetched again.
    case appeared
  }

  private var count = 0
  private var reason: Reason?

  /// Notes that the view appears, or one of several views that it consists of.
  mutating func appeared() -> Step {
    count += 1
    return count == 1 ? awaitEndOfTurn(.appeared) : .nothing
  }

  /// Notes that the view disappears, or one of several views that it consists of.
  mutating func disappeared() {
    count = max(0, count - 1)
  }

  /// Notes that the query has changed, or is another one.
  mutating func changed() -> Step {
    count > 0 ? awaitEndOfTurn(.changed) : .nothing
  }

  /// Decides at the end of the turn whether to fetch the next page.
  ///
  /// - Parameter facts: The facts about the query's pages; `nil` if there is no query any more.
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
