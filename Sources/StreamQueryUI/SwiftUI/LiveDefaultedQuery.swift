#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a query with a default value for a view: its data is never `nil`.
///
/// ```swift
/// struct TodosView: View {
///   @LiveDefaultedQuery(Query("todos") { try await api.todos() }.defaulting(to: []))
///   private var todos
///
///   var body: some View {
///     List(todos.data, id: \.self) { Text($0) }
///   }
/// }
/// ```
///
/// Otherwise the wrapper behaves as a ``LiveQuery``. If the query depends on the view's state, declare the
/// wrapper with the default only, and name the query by the modifier `query(_:_:)`:
///
/// ```swift
/// struct FollowersView: View {
///   @State private var name = ""
///   @LiveDefaultedQuery(default: []) private var followers: ObservedDefaultedQuery<[Follower]>
///
///   var body: some View {
///     List(followers.data) { Text($0.login) }
///       .query($followers, .followers(of: name).enabled(!name.isEmpty))
///   }
/// }
/// ```
@MainActor @propertyWrapper
public struct LiveDefaultedQuery<Value: Sendable>: DynamicProperty {
  private var live: LiveQuery<Value>
  private let defaultValue: Value

  /// Observes a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  public init(
    _ query: DefaultedQuery<Value>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    animation: Animation? = nil
  ) {
    live = LiveQuery(
      query.query,
      options: options,
      keepsPreviousData: keepsPreviousData,
      animation: animation
    )
    defaultValue = query.defaultValue
  }

  /// Observes the query that the modifier `query(_:_:)` names.
  ///
  /// - Parameters:
  ///   - defaultValue: The value that is shown while there is no data.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  public init(
    default defaultValue: Value,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    animation: Animation? = nil
  ) {
    live = LiveQuery(options: options, keepsPreviousData: keepsPreviousData, animation: animation)
    self.defaultValue = defaultValue
  }

  /// The query as an observable object.
  public var wrappedValue: ObservedDefaultedQuery<Value> {
    ObservedDefaultedQuery(live.wrappedValue, default: defaultValue)
  }

  /// The handle that modifiers such as `attach(_:)` take; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<ObservedQuery<Value>> { live.projectedValue }
}
#endif
