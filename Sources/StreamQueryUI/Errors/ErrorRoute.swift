internal import StreamQuery

/// Where an observed query's errors go.
@MainActor
final class ErrorRoute<Value: Sendable> {
  private(set) weak var boundary: ErrorBoundary?
  var machine = ErrorRouteMachine<QueryResult<Value>>()
  /// Which query of which client had the error that was offered last.
  private var offered: QueryIdentity?
  private weak var client: QueryClient?

  /// An error is offered.
  func offers(_ query: QueryIdentity, of client: QueryClient) {
    offered = query
    self.client = client
  }

  /// Takes back the error of a former query.
  ///
  /// - Parameters:
  ///   - query: The query that is shown now; `nil` if there is none.
  ///   - present: Its client.
  func leave(for query: @autoclosure () -> QueryIdentity?, of present: QueryClient?) {
    guard let offered, present !== client || query() != offered else { return }
    machine = ErrorRouteMachine()
    self.offered = nil
    if let client { boundary?.left(offered, in: client, by: self) }
  }

  /// Reports to a boundary from now on; what another one was told stays there.
  func move(to new: ErrorBoundary?) {
    boundary = new
    machine = ErrorRouteMachine()
    offered = nil
  }
}
