/// Decides when the page after the last one is fetched for a view at the end of a list.
///
/// | told | shown | not shown |
/// |---|---|---|
/// | it appears | | fetch, also if that has failed before |
/// | the query shows something else | look at the end of the turn | nothing |
/// | the turn ends | fetch, unless that has failed | nothing |
///
/// Nothing is fetched while anything of the query is, or where there is no further page. A page that has come
/// may push the view off the screen, and the view is told so in the same turn: hence its end.
struct NextPageMachine: Equatable {
  /// What the query shows.
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

  /// What has to be done.
  enum Step: Equatable {
    case nothing
    /// Fetch the page.
    case fetch
    /// Say when this turn is over.
    case awaitEndOfTurn
  }

  private var count = 0
  private var awaitsEndOfTurn = false

  /// The view appears, or one of several that it makes.
  mutating func appeared(_ facts: Facts) -> Step {
    count += 1
    return count == 1 && facts.isReady ? .fetch : .nothing
  }

  /// The view disappears, or one of several.
  mutating func disappeared() {
    count = max(0, count - 1)
  }

  /// The query shows something else.
  mutating func changed() -> Step {
    guard count > 0, !awaitsEndOfTurn else { return .nothing }
    awaitsEndOfTurn = true
    return .awaitEndOfTurn
  }

  /// The turn is over.
  mutating func turnEnded(_ facts: Facts) -> Step {
    awaitsEndOfTurn = false
    return count > 0 && facts.isReady && !facts.isError ? .fetch : .nothing
  }
}
