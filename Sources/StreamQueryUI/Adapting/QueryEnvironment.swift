internal import StreamQuery

/// The values that a view passes down to its queries.
///
/// SwiftUI draws a reader again when they differ. So objects in them are compared by identity, and
/// they have no closures, which cannot be compared.
struct QueryEnvironment: Sendable {
  /// The client; `nil` if no view has set one.
  var client: QueryClient?
  /// Whether queries may be observed here, as last drawn.
  var observes = true
  /// Whether an environment value decides that, and not the modifiers around it.
  var isExplicit = false
  /// When the nearest modifier allows observation; `nil` if there is none.
  var period: ObservationPeriod?
  /// The presence of the nearest modifier that needs to know whether its content is shown.
  var presence: Presence?
  /// The boundary for errors.
  var boundary: ErrorBoundary?
  /// The function inside of which arriving changes are applied.
  var context: SharedContext?
  /// Whether fetches are off, as in a preview.
  var isFrozen = false

  /// The nearest modifier that decides whether queries are observed; `nil` if the environment does.
  var gate: Presence? { isExplicit ? nil : presence }

  /// Whether queries may be observed here now; a hidden view need not be drawn for that.
  @MainActor var observesNow: Bool { gate?.allows ?? observes }
}

extension QueryEnvironment: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.client === other.client && one.observes == other.observes
      && one.isExplicit == other.isExplicit
      && one.period == other.period && one.presence === other.presence
      && one.boundary === other.boundary && one.context === other.context
      && one.isFrozen == other.isFrozen
  }
}

extension QueryEnvironment {
  /// The function inside of which arriving changes are applied, read at each change.
  @MainActor var changeContext: ChangeContext? {
    guard let context else { return nil }
    return { context.apply($0) }
  }
}
