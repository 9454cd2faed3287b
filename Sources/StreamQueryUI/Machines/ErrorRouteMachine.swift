@_spi(Adapters) internal import StreamQuery

/// A result with an error that may be offered to a boundary.
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
/// Each failure is offered once, when no fetch runs, because a running fetch may still succeed.
struct ErrorRouteMachine<Result: RoutedResult> {
  /// The action that follows from a result.
  enum Step {
    case nothing
    /// Ask the query's `throwOnError` whether the error belongs to a boundary, and report it if so.
    case offer(any Error)
    /// Remove the error from the boundary, because the query has recovered.
    case recovered
  }

  /// The result with the error that was offered last.
  private var offered: Result?

  /// Decides what follows from a result that is shown.
  ///
  /// - Parameter result: The result.
  /// - Returns: The action.
  mutating func shown(_ result: Result) -> Step {
    guard let error = result.error else {
      // Without data, the result hides the error while a fetch runs. The query has not recovered by that,
      // because the fetch may fail again.
      let isOver = !result.isFetching || result.isSuccess && !result.isPlaceholderData
      return isOver && offered.take() != nil ? .recovered : .nothing
    }
    guard !result.isFetching, offered?.hasSameError(as: result) != true else { return .nothing }
    offered = result
    return .offer(error)
  }
}
