#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Shows a query, and observes the query while this view is shown.
///
/// ```swift
/// QueryView(.user(1)) { user in
///   if let data = user.data { Text(data.name) } else { ProgressView() }
/// }
/// ```
///
/// Views that show the same query share its data and its requests. While a view is hidden, as under a pushed
/// screen, it does not observe. When it is shown again, the query's `refetchOnSubscribe` decides whether it
/// refetches.
public struct QueryView<Value: Sendable, Content: View>: View {
  @LiveQuery<Value> private var observed: ObservedQuery<Value>
  private let content: (ObservedQuery<Value>) -> Content

  /// Creates a view of a query.
  ///
  /// - Parameters:
  ///   - query: The query; it may be another one at each update of the parent.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
  ///   - debounce: For search as you type: a new key is observed when no other key was set for this time;
  ///     meanwhile the former key is shown. `nil` means no wait.
  ///   - content: Makes the content from the query's properties.
  public init(
    _ query: Query<Value>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    debounce: Duration? = nil,
    @ViewBuilder content: @escaping (_ result: ObservedQuery<Value>) -> Content
  ) {
    _observed = LiveQuery(
      query,
      options: options,
      keepsPreviousData: keepsPreviousData,
      debounce: debounce
    )
    self.content = content
  }

  /// Creates a view of a query with a default value.
  ///
  /// ```swift
  /// QueryView(Query("todos") { try await api.todos() }.defaulting(to: [])) { todos in
  ///   Text("\(todos.data.count) to do")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query; it may be another one at each update of the parent.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
  ///   - debounce: For search as you type: a new key is observed when no other key was set for this time;
  ///     meanwhile the former key is shown. `nil` means no wait.
  ///   - content: Makes the content from the query's properties; their data is never `nil`.
  public init(
    _ query: DefaultedQuery<Value>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    debounce: Duration? = nil,
    @ViewBuilder content: @escaping (_ result: ObservedDefaultedQuery<Value>) -> Content
  ) {
    self.init(
      query.query,
      options: options,
      keepsPreviousData: keepsPreviousData,
      debounce: debounce
    ) {
      content(ObservedDefaultedQuery($0, default: query.defaultValue))
    }
  }

  /// The content.
  public var body: some View {
    content(observed).attach($observed)
  }
}
#endif
