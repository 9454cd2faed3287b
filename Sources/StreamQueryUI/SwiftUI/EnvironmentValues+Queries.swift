#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension EnvironmentValues {
  /// The client of the queries in views.
  ///
  /// All views without a `queryClient(_:)` around them share one client, and a debug build reports once that
  /// there is such a view. Set the client with that modifier: `environment(_:_:)` first reads the former
  /// value, and so causes the report. The value can be read on any thread.
  public var queryClient: QueryClient {
    get { queryEnvironment.client ?? FallbackClient.taken() }
    set { queryEnvironment.client = newValue }
  }

  /// Whether property wrappers may observe their queries here; see `queryObservation(_:)`.
  ///
  /// A value that a view inside of that modifier sets takes precedence over the modifier.
  public var queryObservationEnabled: Bool {
    get { queryEnvironment.observes }
    set { (queryEnvironment.observes, queryEnvironment.isExplicit) = (newValue, true) }
  }

  /// All values that views pass down to queries.
  ///
  /// Property wrappers read this property by `@SwiftUI.Environment`. The name is spelled in full, because the
  /// module `StreamQuery` also has a type `Environment`.
  var queryEnvironment: QueryEnvironment {
    get { self[QueryEnvironmentKey.self] }
    set { self[QueryEnvironmentKey.self] = newValue }
  }

  private enum QueryEnvironmentKey: EnvironmentKey {
    static var defaultValue: QueryEnvironment { QueryEnvironment() }
  }
}

extension View {
  /// Sets the client for the queries of this view and of all views in it.
  ///
  /// Observed queries change to the new client, as if the view were new. A view that does not observe, such
  /// as a hidden one, is drawn with the cached data of the new client.
  ///
  /// ```swift
  /// WindowGroup { ContentView().queryClient(client) }
  /// ```
  ///
  /// - Parameter client: The client.
  /// - Returns: The view.
  public func queryClient(_ client: QueryClient) -> some View {
    transformEnvironment(\.queryEnvironment) { $0.client = client }
  }
}

/// Sets the client for the queries of its content: the given client, or a client of its own that lasts as
/// long as this view.
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

/// The client of a ``QueryClientProvider``: the given client, or else one that the first update makes.
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

/// Makes a client at the first use.
@MainActor
private final class LazyClient: nonisolated StillObject {
  private(set) lazy var client = QueryClient()

  nonisolated init() {}
}
#endif
