internal import StreamQuery

/// Reports the errors of an observed query to a boundary.
@MainActor
final class ErrorRoute<Value: Sendable> {
  private(set) weak var boundary: ErrorBoundary?
  var machine = ErrorRouteMachine<QueryResult<Value>>()
  /// The query of which an error was last offered to the boundary; `client` is its client.
  private var offered: QueryIdentity?
  private weak var client: QueryClient?

  /// Notes that an error of a query is offered to the boundary.
  func offers(_ query: QueryIdentity, of client: QueryClient) {
    offered = query
    self.client = client
  }

  /// Withdraws the error of a former query from the boundary.
  ///
  /// - Parameters:
  ///   - query: The present query; `nil` if there is none.
  ///   - present: The client of the present query.
  ///   - reporter: The object that has reported the error.
  func leave(
    for query: @autoclosure () -> QueryIdentity?,
    of present: QueryClient?,
    by reporter: any ErrorReporter
  ) {
    guard let offered, present !== client || query() != offered else { return }
    machine = ErrorRouteMachine()
    self.offered = nil
    if let client { boundary?.left(offered, in: client, by: reporter) }
  }

  /// Forgets that an error of a query was offered, so that it is offered again if it is still shown.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - id: The identity of the query's client.
  /// - Returns: Whether the last error that was offered was one of this query.
  func forgetOffer(of query: QueryIdentity, in id: ObjectIdentifier) -> Bool {
    guard offered == query, client.map(ObjectIdentifier.init) == id else { return false }
    machine = ErrorRouteMachine()
    return true
  }

  /// Reports to another boundary from now on; earlier reports stay with the former one.
  func move(to new: ErrorBoundary?) {
    boundary = new
    machine = ErrorRouteMachine()
    offered = nil
  }
}
