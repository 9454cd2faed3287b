#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a selection of a query for a view; in everything else it is a ``LiveQuery``.
///
/// ```swift
/// @LiveSelection(.users, select: { $0.map(\.name) }) var names
/// ```
@MainActor @propertyWrapper
public struct LiveSelection<Stored: Sendable, Value: Sendable>: DynamicProperty {
  private var live: LiveProperty<ObservedSelection<Stored, Value>>

  /// Creates nothing: without a selection, there is nothing to show.
  @_documentation(visibility: internal)
  @available(
    *,
    unavailable,
    message: "write the selection in place, as in @LiveSelection(select: …)"
  )
  public init() {
    self.init { _ in throw CancellationError() }
  }

  /// Observes a selection of a query, or of what a modifier says.
  ///
  /// - Parameters:
  ///   - query: The query; `nil` observes nothing until the modifier `query(_:_:)` names one.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - debounce: How long another key waits, as in search as you type, until no newer one has come;
  ///     meanwhile the former one is shown. `nil` observes it at once. A modifier has its own.
  ///   - animation: Animates changes that arrive; `nil` leaves that to `queryAnimation(_:)`.
  ///   - select: Makes the selection. Runs once for each data that is stored; what it throws is
  ///     shown as the error. What it captures stays as it was when the view was new.
  public init(
    _ query: Query<Stored>? = nil,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    debounce: Duration? = nil,
    animation: Animation? = nil,
    select: @escaping @Sendable (Stored) throws -> Value
  ) {
    live = LiveProperty(query, options: options, debounce: debounce, animation: animation) {
      ObservedSelection(
        query ?? .none,
        options: options,
        keepsPreviousData: keepsPreviousData,
        select: select
      )
    }
  }

  /// The selection as an observable object.
  public var wrappedValue: ObservedSelection<Stored, Value> { live.object }

  /// For modifiers of views.
  public var projectedValue: LiveHandle<ObservedSelection<Stored, Value>> { live.handle }
}
#endif
