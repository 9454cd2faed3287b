public import StreamQuery

/// A query and the fetcher that fetches it; one call changes the fetcher and fetches again.
///
/// ```swift
/// @MainActor final class NameSearch: QueryFetcher {
///   var text = ""
///   func fetch() async throws -> User { try await api.user(email: text) }
/// }
///
/// let search = ObservedFetcher("search", fetcher: NameSearch(), client: client)
/// await search.refetch { $0.text = "ada@example.com" }     // a button need not wait
/// show(search.query.data, search.fetcher.text)
/// ```
@MainActor
public final class ObservedFetcher<F: QueryFetcher> {
  /// The object that fetches.
  public let fetcher: F
  /// The observed query: it has the results, and its methods start and stop the observation.
  public let query: ObservedQuery<F.Output>

  /// Creates an object that observes a query with a fetcher.
  ///
  /// - Parameters:
  ///   - fetcher: The fetcher.
  ///   - client: The client. Without a client, the query is observed after `query.start(using:)`.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - query: Makes the query from the fetcher.
  public init(
    fetcher: F,
    client: QueryClient? = nil,
    options: ObserverOptions? = nil,
    query: (F) -> Query<F.Output>
  ) {
    self.fetcher = fetcher
    self.query = ObservedQuery(query(fetcher), options: options)
    if let client { self.query.start(using: client) }
  }

  /// Creates an object that observes a query with a fetcher, from the parts of the query's key.
  ///
  /// - Parameters:
  ///   - first: The first part of the key.
  ///   - part: The further parts, in order.
  ///   - fetcher: The fetcher.
  ///   - client: The client. Without a client, the query is observed after `query.start(using:)`.
  ///   - options: Options of the observer.
  public convenience init<First: Hashable & Sendable, each Part: Hashable & Sendable>(
    _ first: First,
    _ part: repeat each Part,
    fetcher: F,
    client: QueryClient? = nil,
    options: ObserverOptions? = nil
  ) {
    let key = QueryKey<F.Output>(first, repeat each part)
    self.init(fetcher: fetcher, client: client, options: options) { Query(key: key, fetcher: $0) }
  }

  /// Changes the fetcher, then fetches with it, and waits.
  ///
  /// The result of a running fetch is not used, because that fetch has read the former properties. Callers
  /// that wait for it, such as those of an earlier call, wait for the new fetch. If `fetch()` makes this call
  /// itself, its fetch is replaced at most three times in a row.
  ///
  /// - Parameter change: Changes the fetcher.
  /// - Returns: The result after the fetch; if the fetch failed, with its error.
  @discardableResult
  public func refetch(_ change: (F) -> Void = { _ in }) async -> QueryResult<F.Output> {
    change(fetcher)
    return await query.restart()
  }

  /// Changes the fetcher, then starts a fetch with it and returns at once; meant for actions of buttons.
  ///
  /// - Parameter change: Changes the fetcher.
  public func refetch(_ change: (F) -> Void = { _ in }) {
    change(fetcher)
    query.startAnew()
  }
}

extension ObservedFetcher: WitnessedObject {
  var witness: (any ReaderWitness)? {
    get { query.witness }
    set { query.witness = newValue }
  }
}
