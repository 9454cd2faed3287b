internal import StreamQuery

/// The values that a view hands down to the queries below it.
///
/// SwiftUI draws a reader again when they differ. So they compare objects by identity, and have no
/// closures, which nobody can compare.
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
  /// The function inside of which changes that arrive are applied.
  var context: SharedContext?
  /// Whether nothing is fetched, as in a preview.
  var isFrozen = false

  /// The modifier around that decides whether queries are observed; `nil` if the environment says it.
  var decider: Presence? { isSaid ? nil : presence }

  /// Whether queries are observed here now; what is hidden need not be drawn for that.
  @MainActor var isAllowedNow: Bool { decider?.allows ?? isAllowed }
}

extension Surroundings: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.client === other.client && one.isAllowed == other.isAllowed && one.isSaid == other.isSaid
      && one.period == other.period && one.presence === other.presence
      && one.boundary === other.boundary && one.context === other.context
      && one.isFrozen == other.isFrozen
  }
}

extension Surroundings {
  /// The function inside of which changes that arrive are applied now; one that replaces it later
  /// counts as well.
  @MainActor var changeContext: ChangeContext? {
    guard let context else { return nil }
    return { context.apply($0) }
  }
}
