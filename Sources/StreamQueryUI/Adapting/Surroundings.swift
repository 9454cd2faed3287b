internal import StreamQuery

/// What a view hands down to the queries below it.
struct Surroundings: Sendable {
  /// The client; `nil` if nobody gave one.
  var client: QueryClient?
  /// Whether queries are observed here.
  var isAllowed = true
  /// When a modifier around says that they are; `nil` if none does.
  var period: ObservationPeriod?
  /// Of the modifier around that wants to know whether what it is around is shown.
  var presence: Presence?
  /// Where errors go.
  var boundary: ErrorBoundary?
  /// What changes that arrive are applied inside of.
  var changeContext: ChangeContext?
  /// Whether nothing is fetched, as in a preview.
  var isFrozen = false
}
