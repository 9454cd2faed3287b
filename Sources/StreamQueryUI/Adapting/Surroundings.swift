internal import StreamQuery

/// What a view hands down to the queries below it.
struct Surroundings: Sendable {
  /// The client; `nil` if nobody gave one.
  var client: QueryClient?
  /// Whether queries are observed here.
  var isAllowed = true
  /// Where errors go.
  var boundary: ErrorBoundary?
  /// What changes that arrive are applied inside of.
  var changeContext: ChangeContext?
  /// Whether nothing is fetched, as in a preview.
  var isFrozen = false
}
