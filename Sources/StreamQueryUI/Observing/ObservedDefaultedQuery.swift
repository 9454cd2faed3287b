public import StreamQuery

/// A query with a default value as an observable object: its data is never `nil`.
///
/// ```swift
/// let todos = Query("todos") { try await api.todos() }.defaulting(to: [])
/// let observed = ObservedDefaultedQuery(todos, client: client)
/// show(observed.data.count, more: observed.isFetching)
/// ```
///
/// All properties of the ``query`` are also properties of this object, each tracked separately. They describe
/// the query: while the default is shown, the query is still pending, or failed.
@MainActor @dynamicMemberLookup
public struct ObservedDefaultedQuery<Value: Sendable> {
  /// The query without its default; its methods start, stop and change the observation.
  public let query: ObservedQuery<Value>

  /// The value that is shown while there is no data.
  public let defaultValue: Value

  /// Adds a default to an observed query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - defaultValue: The value that is shown while there is no data.
  public init(_ query: ObservedQuery<Value>, default defaultValue: Value) {
    self.query = query
    self.defaultValue = defaultValue
  }

  /// Creates an object that observes a query from now on.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: The client; with `nil`, nothing is observed before `query.start(using:)`.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
  public init(
    _ query: DefaultedQuery<Value>,
    client: QueryClient? = nil,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false
  ) {
    self.init(
      ObservedQuery(query.query, options: options, keepsPreviousData: keepsPreviousData),
      default: query.defaultValue
    )
    if let client { self.query.start(using: client) }
  }

  /// The newest data: fetched, written or a placeholder; the default if there is none.
  public var data: Value { query.data ?? defaultValue }

  /// Whether there is no data, so that the default is shown.
  public var isDefault: Bool { query.data == nil }

  /// A property of the ``query``, as a property of this object.
  ///
  /// - Parameter property: The property, such as `isFetching`.
  /// - Returns: The value of the property.
  public subscript<Property>(
    dynamicMember property: KeyPath<ObservedQuery<Value>, Property>
  ) -> Property {
    query[keyPath: property]
  }

  /// Fetches, and waits until the fetch has ended; see ``ObservedQuery/refetch(superseding:)``.
  public func refetch() async { await query.refetch(superseding: true) }

  /// Fetches without waiting.
  public func refetch() { query.refetch() }
}
