internal import StreamQuery

/// The values that a view passes down to its queries.
///
/// SwiftUI draws a reader again when a value differs. So objects among the values are compared by identity,
/// and there are no closures among them, because these cannot be compared.
struct QueryEnvironment: Sendable {
  /// The client; `nil` if no view has set one.
  var client: QueryClient?
  /// Whether observation was allowed here when the view was last drawn.
  var observes = true
  /// Whether a view has set `queryObservationEnabled`, which then decides instead of the modifiers around it.
  var isExplicit = false
  /// The rule of the nearest modifier for when queries are observed; `nil` if there is no such modifier.
  var period: ObservationPeriod?
  /// The presence of the nearest modifier that tracks whether its content is shown.
  var presence: Presence?
  /// The boundary that errors are reported to.
  var boundary: ErrorBoundary?
  /// The object with the function that applies arriving changes.
  var context: SharedContext?
  /// Whether fetches are off, as in a preview.
  var isFrozen = false

  /// The nearest modifier that decides whether queries are observed; `nil` if `queryObservationEnabled`
  /// decides.
  var gate: Presence? { isExplicit ? nil : presence }

  /// Whether queries may be observed here now, even if the answer has changed since the last drawing.
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
  /// Applies each arriving change by the function that ``context`` has at that time; `nil` without a context.
  @MainActor var changeContext: ChangeContext? {
    guard let context else { return nil }
    return { context.apply($0) }
  }
}
