@_spi(Adapters) internal import StreamQuery

/// A result whose error may be offered to a boundary.
protocol RoutedResult {
  var error: (any Error)? { get }
  var isFetching: Bool { get }
  var isSuccess: Bool { get }
  var isPlaceholderData: Bool { get }
  func hasSameError(as other: Self) -> Bool
}

extension QueryResult: RoutedResult {}
extension AnyQueryResult: RoutedResult {}

/// Decides when an error of an observed query is offered to a boundary.
///
/// Each failure is offered once, when no fetch runs: while a failed query is fetched again, it may
/// still succeed.
struct ErrorRouteMachine<Result: RoutedResult> {
  /// The next action.
  enum Step {
    case nothing
    /// Ask whether the error is thrown, and report it if so.
    case offer(any Error)
    /// The query has recovered from an error that was offered.
    case recovered
  }

  /// The result whose error was offered last.
  private var offered: Result?

  /// A result is shown.
  ///
  /// - Parameter result: The result.
  /// - Returns: The action.
  mutating func shown(_ result: Result) -> Step {
    guard let error = result.error else {
      // Without data, a running fetch hides the error, and may end with it again.
      let isOver = !result.isFetching || result.isSuccess && !result.isPlaceholderData
      return isOver && offered.take() != nil ? .recovered : .nothing
    }
    guard !result.isFetching, offered?.hasSameError(as: result) != true else { return .nothing }
    offered = result
    return .offer(error)
  }
}
