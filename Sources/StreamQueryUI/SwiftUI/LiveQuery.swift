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
/// Cached data shows in the first frame. The view is drawn again only when a property that it has
/// read changes. Drawing its parent makes no new subscription.
///
/// Give a query that depends on values of the view in its initialiser:
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
/// Give a query that depends on state with the modifier `query(_:_:)` of a view in the body.
///
/// Two wrappers of one key share its data and its requests; each has its own options. Read outside
/// of a body, it shows nothing, and a debug build reports that.
@MainActor @propertyWrapper
public struct LiveQuery<Value: Sendable>: DynamicProperty {
  private var live: LiveProperty<ObservedQuery<Value>>

  /// Observes a query; without one, the query that the modifier `query(_:_:)` names.
  ///
  /// - Parameters:
  ///   - query: The query; `nil` observes nothing before the modifier names one.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - debounce: The time without another key after which a new key is observed, for search as you type;
  ///     meanwhile the former one is shown. `nil` observes it at once. A modifier has its own interval.
  ///   - animation: Animates changes that arrive; `nil` leaves that to `queryAnimation(_:)`.
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

  /// For modifiers of views.
  public var projectedValue: LiveHandle<ObservedQuery<Value>> { live.handle }
}

/// Observes an infinite query for a view; see ``LiveQuery``.
public typealias LiveInfiniteQuery<Page: Sendable, PageParam: Hashable & Sendable> =
  LiveQuery<Pages<Page, PageParam>>
#endif
