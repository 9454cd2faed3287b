internal import StreamQuery

/// Where an observed query's errors go.
@MainActor
final class ErrorRoute<Value: Sendable> {
  weak var boundary: ErrorBoundary?
  var machine = ErrorRouteMachine<QueryResult<Value>>()
}
