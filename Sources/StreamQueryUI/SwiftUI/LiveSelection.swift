#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a selection of a query for a view; otherwise the same as a ``LiveQuery``.
///
/// ```swift
/// @LiveSelection(.users, select: { $0.map(\.name) }) var names
/// ```
@MainActor @propertyWrapper
public struct LiveSelection<Stored: Sendable, Value: Sendable>: DynamicProperty {
  private var live: LiveProperty<ObservedSelection<Stored, Value>>

  /// Creates nothing: it needs a selection.
  @_documentation(visibility: internal)
  @available(
    *,
    unavailable,
    message: "write the selection in place, as in @LiveSelection(select: …)"
  )
  public init() {
    self.init { _ in throw CancellationError() }
  }

  /// Observes a selection of a query; without one, of the query that the modifier `query(_:_:)`
  /// names.
  ///
  /// - Parameters:
  ///   - query: The query; `nil` observes nothing before the modifier names one.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - debounce: The time without another key after which a new key is observed, for search as you type;
  ///     meanwhile the former one is shown. `nil` observes it at once. A modifier has its own interval.
  ///   - animation: Animates changes that arrive; `nil` leaves that to `queryAnimation(_:)`.
  ///   - select: Makes the selection. Runs once for each new data of the query; its error is the
  ///     error of the result. Its captures are those of the new view.
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
