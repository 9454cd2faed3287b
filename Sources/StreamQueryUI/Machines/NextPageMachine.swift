/// Decides when the page after the last one is fetched for a view at the end of a list.
///
/// | told | shown | not shown |
/// |---|---|---|
/// | it appears | | look at the end of the turn |
/// | the query shows something else | look at the end of the turn | nothing |
/// | the turn ends in which it appeared | fetch, also if that has failed before | nothing |
/// | another turn ends | fetch, unless that has failed | nothing |
///
/// Nothing is fetched while anything of the query is, or where there is no further page. A page that has come
/// may push the view off the screen, and the view is told so in the same turn: hence its end. A view also
/// appears before a modifier around it that begins the observation, in the same turn.
struct NextPageMachine: Equatable {
  /// The page facts that the query shows.
  struct Facts: Equatable {
    var hasNextPage: Bool
    /// Whether no fetch is running or waiting.
    var isIdle: Bool
    /// Whether the fetch of that page has failed.
    var isError: Bool
    /// The number of pages, and when they changed: it is looked at again after each page.
    var count: Int
    var updated: Double?

    fileprivate var isReady: Bool { hasNextPage && isIdle }
  }

  /// The action that follows.
  enum Step: Equatable {
    case nothing
    /// Fetch the page.
    case fetch
    /// Say when this turn is over.
    case awaitEndOfTurn
  }

  /// Why the end of the turn is awaited.
  private enum Reason {
    /// The query shows something else.
    case changed
    /// The view has appeared: what has failed is tried again.
    case appeared
  }

  private var count = 0
  private var reason: Reason?

  /// The view appears, or one of several that it makes.
  mutating func appeared() -> Step {
    count += 1
    return count == 1 ? awaitEndOfTurn(.appeared) : .nothing
  }

  /// The view disappears, or one of several.
  mutating func disappeared() {
    count = max(0, count - 1)
  }

  /// The query shows something else, or it is another one.
  mutating func changed() -> Step {
    count > 0 ? awaitEndOfTurn(.changed) : .nothing
  }

  /// The turn is over.
  ///
  /// - Parameter facts: What the query shows; `nil` if it is gone.
  /// - Returns: What to do.
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
