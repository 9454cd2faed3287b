#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a query with a fetcher, for a view; see ``ObservedFetcher``.
///
/// ```swift
/// @MainActor final class AddressSearch: QueryFetcher {
///   var text = ""
///   func fetch() async throws -> User { try await api.user(email: text) }
/// }
///
/// struct AddressSearchView: View {
///   @LiveFetcher("search", fetcher: AddressSearch()) private var search
///
///   var body: some View {
///     Button("Find Ada") { search.refetch { $0.text = "ada@example.com" } }
///     if let user = search.query.data { Text(user.name) }
///   }
/// }
/// ```
///
/// Fetcher and query are made when the view is first drawn, and last as long as the view's state. Otherwise
/// the wrapper behaves as a ``LiveQuery``.
@MainActor @propertyWrapper
public struct LiveFetcher<F: QueryFetcher>: DynamicProperty {
  @StateObject private var holder: LiveHolder<ObservedFetcher<F>>
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let options: OptionsBox?
  private let animation: Animation?
  private let make: @MainActor () -> ObservedFetcher<F>

  /// Observes a query that is made from a fetcher.
  ///
  /// ```swift
  /// struct TeamListView: View {
  ///   @LiveFetcher(
  ///     fetcher: ClosureFetcher { try await api.users() },
  ///     query: { Query("team", fetcher: $0).staleTime(.seconds(30)) }
  ///   )
  ///   private var team
  ///
  ///   var body: some View { Text("\(team.query.data?.count ?? 0) people") }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - fetcher: Makes the fetcher, once for each view. Captured values are those of the first call of the
  ///     view's initialiser.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  ///   - query: Makes the query from the fetcher.
  public init(
    fetcher: @autoclosure @escaping @MainActor () -> F,
    options: ObserverOptions? = nil,
    animation: Animation? = nil,
    query: @escaping @MainActor (F) -> Query<F.Output>
  ) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.options = options.map { OptionsBox($0) }
    self.animation = animation
    make = { ObservedFetcher(fetcher: fetcher(), options: options, query: query) }
  }

  /// Observes a query with a fetcher, by the parts of the query's key.
  ///
  /// - Parameters:
  ///   - first: The first part of the key.
  ///   - part: The further parts, in order.
  ///   - fetcher: Makes the fetcher, once for each view.
  ///   - options: Options of the observer.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  public init<First: Hashable & Sendable, each Part: Hashable & Sendable>(
    _ first: First,
    _ part: repeat each Part,
    fetcher: @autoclosure @escaping @MainActor () -> F,
    options: ObserverOptions? = nil,
    animation: Animation? = nil
  ) {
    let key = QueryKey<F.Output>(first, repeat each part)
    self.init(fetcher: fetcher(), options: options, animation: animation) {
      Query(key: key, fetcher: $0)
    }
  }

  /// The fetcher with its query as an observable object.
  public var wrappedValue: ObservedFetcher<F> { holder.object(make) }

  /// The handle that modifiers such as `attach(_:)` take; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<ObservedFetcher<F>> { LiveHandle(holder: holder) }

  /// Called by SwiftUI before the view's body.
  public nonisolated func update() {
    ViewUpdate.run {
      holder.installed(animation?.changeContext, options: options, make)
      holder.configure(by: .wrapper, in: queryEnvironment) {
        $0.query.configure($0.query.query, $1, $2, $3)
      }
      holder.updated()
    }
  }
}
#endif
