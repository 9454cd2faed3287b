#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a query for a view, for as long as the view exists.
///
/// ```swift
/// struct ProfileView: View {
///   @LiveQuery(.user(1)) var user
///
///   var body: some View {
///     switch user.phase {
///     case .success(let user): Text(user.name)
///     case .failure(let error, let lastGood): Text(lastGood?.name ?? "\(error)")
///     default: ProgressView()
///     }
///   }
/// }
/// ```
///
/// Cached data shows in the first frame. The view is drawn again only when a property that it has read
/// changes. If its parent is drawn again, there is no new subscription.
///
/// A query that depends on values of the view is named in the view's initialiser:
///
/// ```swift
/// struct ProfileView: View {
///   @LiveQuery<User> var user
///
///   init(id: User.ID) {
///     _user = LiveQuery(.user(id))
///   }
/// }
/// ```
///
/// A query that depends on state is named by the modifier `query(_:_:)` of a view in the body.
///
/// Two wrappers of one key share its data and its requests; each has its own options. A wrapper that is read
/// outside of a body shows nothing, and a debug build reports that.
@MainActor @propertyWrapper
public struct LiveQuery<Value: Sendable>: DynamicProperty {
  private var live: LiveProperty<ObservedQuery<Value>>

  /// Observes a query; with `nil`, the query that the modifier `query(_:_:)` names.
  ///
  /// - Parameters:
  ///   - query: The query; with `nil`, nothing is observed before the modifier names one.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
  ///   - debounce: For search as you type: a new key is observed when no other key was set for this time;
  ///     meanwhile the former key is shown. `nil` means no wait. The modifier `query(_:_:debounce:)` does not
  ///     use this interval, but its own.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  public init(
    _ query: Query<Value>? = nil,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    debounce: Duration? = nil,
    animation: Animation? = nil
  ) {
    live = LiveProperty(query, options: options, debounce: debounce, animation: animation) {
      ObservedQuery(query ?? .none, options: options, keepsPreviousData: keepsPreviousData)
    }
  }

  /// Observes a query, made from its key and its fetch.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - options: Options of the observer.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  ///   - fetch: Fetches the value.
  public init(
    key: QueryKey<Value>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    animation: Animation? = nil,
    fetch: @escaping @Sendable @concurrent () async throws -> Value
  ) {
    self.init(
      Query(key: key, fetch: fetch),
      options: options,
      keepsPreviousData: keepsPreviousData,
      animation: animation
    )
  }

  /// The query as an observable object.
  public var wrappedValue: ObservedQuery<Value> { live.object }

  /// The handle that modifiers such as `attach(_:)` take; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<ObservedQuery<Value>> { live.handle }
}

/// Observes an infinite query for a view; see ``LiveQuery``.
public typealias LiveInfiniteQuery<Page: Sendable, PageParam: Hashable & Sendable> =
  LiveQuery<Pages<Page, PageParam>>
#endif
