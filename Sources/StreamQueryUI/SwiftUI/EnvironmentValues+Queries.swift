#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension EnvironmentValues {
  /// The client of the queries in views.
  ///
  /// Without `queryClient(_:)` above, it is one that all such views share; a debug build says so
  /// once. That is so on every thread. Set it with that modifier: `environment(_:_:)` reads a value
  /// before it sets it.
  public var queryClient: QueryClient {
    get { surroundings.client ?? FallbackClient.taken() }
    set { surroundings.client = newValue }
  }

  /// Whether property wrappers observe their queries here; see `queryObservation(_:)`.
  ///
  /// Set inside of such a modifier, it counts more than that.
  public var queryObservationEnabled: Bool {
    get { surroundings.isAllowed }
    set { (surroundings.isAllowed, surroundings.isSaid) = (newValue, true) }
  }

  /// Read by `@SwiftUI.Environment`, in full: within this package, the core has a type of that name.
  var surroundings: Surroundings {
    get { self[SurroundingsKey.self] }
    set { self[SurroundingsKey.self] = newValue }
  }

  private enum SurroundingsKey: EnvironmentKey {
    static var defaultValue: Surroundings { Surroundings() }
  }
}

extension View {
  /// Gives a client to the queries of this view and of all views in it.
  ///
  /// Queries that are observed already go over to the new client, as if the view were new. What does
  /// not observe, such as a hidden view, is drawn with what the new client has cached.
  ///
  /// ```swift
  /// WindowGroup { ContentView().queryClient(client) }
  /// ```
  ///
  /// - Parameter client: The client.
  /// - Returns: The view.
  public func queryClient(_ client: QueryClient) -> some View {
    transformEnvironment(\.surroundings) { $0.client = client }
  }
}

/// Gives a client to the queries of views; without one given, a client of its own.
public struct QueryClientProvider<Content: View>: View {
  private let property: ClientProperty
  private let content: Content

  /// Creates a view.
  ///
  /// - Parameters:
  ///   - client: The client; `nil` makes one that lasts as long as this view.
  ///   - content: The views.
  public init(client: QueryClient? = nil, @ViewBuilder content: () -> Content) {
    property = ClientProperty(given: client)
    self.content = content()
  }

  /// The content.
  public var body: some View {
    content.queryClient(property.client)
  }
}

/// The client of a view: one that it was given, or its own, made when SwiftUI updates the view first.
@MainActor
private struct ClientProperty: DynamicProperty {
  @StateObject private var own: LazyClient
  private let given: QueryClient?

  init(given: QueryClient?) {
    _own = StateObject(wrappedValue: LazyClient())
    self.given = given
  }

  var client: QueryClient { given ?? own.client }

  nonisolated func update() {
    ViewUpdate.run { _ = client }
  }
}

/// Makes its client when it is needed first.
@MainActor
private final class LazyClient: nonisolated StillObject {
  private(set) lazy var client = QueryClient()

  nonisolated init() {}
}
#endif
