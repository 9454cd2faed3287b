#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a selection of a query for a view; otherwise the wrapper behaves as a ``LiveQuery``.
///
/// ```swift
/// @LiveSelection(.users, select: { $0.map(\.name) }) var names
/// ```
@MainActor @propertyWrapper
public struct LiveSelection<Stored: Sendable, Value: Sendable>: DynamicProperty {
  private var live: LiveProperty<ObservedSelection<Stored, Value>>

  /// Not available: exists only so that the compiler's message says that a selection is needed.
  @_documentation(visibility: internal)
  @available(
    *,
    unavailable,
    message: "write the selection in place, as in @LiveSelection(select: …)"
  )
  public init() {
    self.init { _ in throw CancellationError() }
  }

  /// Observes a selection of a query; with `nil`, of the query that the modifier `query(_:_:)` names.
  ///
  /// - Parameters:
  ///   - query: The query; with `nil`, nothing is observed before the modifier names one.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is fetched for
  ///     the first time.
  ///   - debounce: For search as you type: a new key is observed when no other key was set for this time;
  ///     meanwhile the former key is shown. `nil` means no wait. The modifier `query(_:_:debounce:)` does not
  ///     use this interval, but its own.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  ///   - select: Makes the selection; runs once for each new data of the query. Captured values are those of
  ///     the first call of the view's initialiser. If the closure throws, the result has the error.
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

  /// The handle that modifiers such as `attach(_:)` take; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<ObservedSelection<Stored, Value>> { live.handle }
}
#endif
