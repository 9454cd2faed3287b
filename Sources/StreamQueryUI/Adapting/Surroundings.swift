internal import StreamQuery

/// What a view hands down to the queries below it.
struct Surroundings: Sendable {
  /// The client; `nil` if nobody gave one.
  var client: QueryClient?
  /// Whether queries were observed here when this was drawn.
  var isAllowed = true
  /// Whether the environment says so, within the modifiers that would decide it.
  var isSaid = false
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

  /// The modifier around that decides whether queries are observed; `nil` if the environment says it.
  var decider: Presence? { isSaid ? nil : presence }

  /// Whether queries are observed here now; what is hidden need not be drawn for that.
  @MainActor var isAllowedNow: Bool { decider?.allows ?? isAllowed }
}
