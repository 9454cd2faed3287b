#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a selection of a query for a view; ``LiveQuery`` observes all of it.
///
/// ```swift
/// @LiveSelection(.users, select: { $0.map(\.name) }) var names
/// ```
@MainActor @propertyWrapper
public struct LiveSelection<Stored: Sendable, Selected: Sendable>: DynamicProperty {
  @StateObject private var holder: LiveHolder<ObservedSelection<Stored, Selected>>
  @SwiftUI.Environment(\.surroundings) private var surroundings
  private let query: Query<Stored>?
  private let options: OptionsBox?
  private let animation: Animation?
  private let make: @MainActor () -> ObservedSelection<Stored, Selected>

  private init(
    asked query: Query<Stored>?,
    options: ObserverOptions?,
    animation: Animation?,
    make: @escaping @MainActor () -> ObservedSelection<Stored, Selected>
  ) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.query = query
    // Boxed: a view with a query is made often, and options are large.
    self.options = options.map { OptionsBox($0) }
    self.animation = animation
    self.make = make
  }

  /// Observes a query, or what a modifier says.
  ///
  /// - Parameters:
  ///   - query: The query; `nil` observes nothing until the modifier `query(_:_:)` names one.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - animation: Animates changes that arrive; `nil` leaves that to `queryAnimation(_:)`.
  public init(
    _ query: Query<Stored>? = nil,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    animation: Animation? = nil
  ) where Stored == Selected {
    self.init(asked: query, options: options, animation: animation) {
      ObservedQuery(query ?? .none, options: options, keepsPreviousData: keepsPreviousData)
    }
  }

  /// Observes a query that is given by its key and its fetch.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - options: Options of the observer.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - animation: Animates changes that arrive; `nil` leaves that to `queryAnimation(_:)`.
  ///   - fetch: Fetches the value.
  public init(
    key: QueryKey<Stored>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    animation: Animation? = nil,
    fetch: @escaping @Sendable @concurrent () async throws -> Stored
  ) where Stored == Selected {
    self.init(
      Query(key: key, fetch: fetch),
      options: options,
      keepsPreviousData: keepsPreviousData,
      animation: animation
    )
  }

  /// Observes a selection of a query, or of what a modifier says.
  ///
  /// - Parameters:
  ///   - query: The query; `nil` observes nothing until the modifier `query(_:_:)` names one.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - animation: Animates changes that arrive; `nil` leaves that to `queryAnimation(_:)`.
  ///   - select: Makes the selection. Runs once for each data that is stored; what it throws is
  ///     shown as the error. What it captures stays as it was when the view was new.
  public init(
    _ query: Query<Stored>? = nil,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    animation: Animation? = nil,
    select: @escaping @Sendable (Stored) throws -> Selected
  ) {
    self.init(asked: query, options: options, animation: animation) {
      ObservedSelection(
        query ?? .none,
        options: options,
        keepsPreviousData: keepsPreviousData,
        select: select
      )
    }
  }

  /// The query as an observable object.
  public var wrappedValue: ObservedSelection<Stored, Selected> { holder.object(make) }

  /// For modifiers of views.
  public var projectedValue: LiveHandle<ObservedSelection<Stored, Selected>> {
    LiveHandle(holder: holder)
  }

  /// Called by SwiftUI before the view's body.
  public nonisolated func update() {
    ViewUpdate.run {
      holder.installed(animation?.changeContext, options: options, make)
      if let query {
        holder.asked(by: .wrapper, in: surroundings) { $0.asked(query, $1, $2, $3) }
      } else {
        holder.namedNothing { $0.showNothing() }
      }
      holder.updated()
    }
  }
}
#endif
