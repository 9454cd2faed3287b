public import StreamQuery

/// A client whose queries are in the states that a preview wants to show, and stay there.
///
/// Nothing changes unless the preview says so, then and later. A query that was given no state shows
/// none and is not fetched. A button that lets an observed object do something (refetch, reset, load
/// the next page, run or reset a mutation, try again what a boundary shows) does nothing: calls that
/// wait return at once what is shown, and those that throw throw `CancellationError`; `firstValue()`
/// does so if there is none. `client.observe(_:on:)` shows what was prepared. What depends on
/// the view alone, such as the position in pages, changes as ever. What is asked of the client itself
/// is done: a write shows, and a fetch begins and never ends.
///
/// ```swift
/// let preview = QueryPreview {
///   $0.data(User(id: 1, name: "Ada"), for: .user(1))
///   $0.loading(.repos(1))
/// }
/// show(preview.client.data(for: .user(1)))
/// ```
@MainActor
public final class QueryPreview {
  /// The client, for models; views get it by the modifier `queryPreview(_:)`.
  public let client: QueryClient

  let executor = PreviewExecutor()
  /// The states that mutations show.
  let runs = PreparedRuns()
  /// The signal that work which never ends waits for.
  let (silence, ending) = AsyncStream<Never>.makeStream()

  /// Creates a client and brings its queries to their states.
  ///
  /// - Parameter states: Says the states.
  public init(_ states: (QueryPreview) -> Void = { _ in }) {
    var options = QueryOptions.default
    options.refetchOnSubscribe = .never
    options.retryOnSubscribe = false
    let configuration = QueryClient.Configuration(
      defaults: QueryDefaults(staleTime: .static, options: options),
      // For `paused(_:)`; no other state needs the network.
      connectivity: Connectivity { AsyncStream<Bool> { $0.yield(false) } },
      activity: .alwaysActive,
      memoryPressure: .none,
      executor: executor
    )
    client = QueryClient(configuration: configuration)
    Pump.of(client).prepared = runs
    states(self)
  }

  deinit {
    ending.finish()
  }

  /// A query that has data.
  ///
  /// - Parameters:
  ///   - value: The data.
  ///   - query: The query.
  public func data<Value>(_ value: Value, for query: Query<Value>) {
    client.setData(value, for: query)
  }

  /// A query that is being fetched: for the first time, or again if it has data.
  ///
  /// - Parameter query: The query.
  public func loading<Value>(_ query: Query<Value>) {
    fetch(
      Query(key: query.key) { [silence] in
        for await _ in silence {}
        throw Self.cancelled()
      }
    )
  }

  /// A query whose fetch has failed; it keeps the data that it has.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - query: The query.
  public func failure<Value>(_ error: any Error, for query: Query<Value>) {
    fetch(Query(key: query.key) { throw error })
  }

  /// A query whose fetch waits for the network; it keeps the data that it has.
  ///
  /// - Parameter query: The query.
  public func paused<Value>(_ query: Query<Value>) {
    // The client is to know that it is offline.
    executor.run()
    let asked = Query(key: query.key) { () async throws -> Value in throw CancellationError() }
    run { [client] in _ = try await client.fetch(asked.networkMode(.online).staleTime(.zero)) }
  }

  /// An infinite query whose next page is being fetched.
  ///
  /// - Parameter query: The query; give it data before.
  public func loadingNextPage<Page, PageParam>(_ query: InfiniteQuery<Page, PageParam>) {
    nextPage(of: query) { [silence] in
      for await _ in silence {}
      throw Self.cancelled()
    }
  }

  /// An infinite query whose next page could not be fetched.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - query: The query; give it data before.
  public func nextPageFailure<Page, PageParam>(
    _ error: any Error,
    for query: InfiniteQuery<Page, PageParam>
  ) {
    nextPage(of: query) { throw error }
  }

  private func nextPage<Page, PageParam>(
    of query: InfiniteQuery<Page, PageParam>,
    _ fetch: @escaping @Sendable () async throws -> Page
  ) {
    // There is no page after none.
    guard let last = client.data(for: query)?.params.last else { return }
    var asked = InfiniteQuery<Page, PageParam>(
      key: query.key,
      initialPageParam: last,
      fetch: { _, _ in try await fetch() },
      nextPageParam: { $0.params.last }
    )
    // After a page without a parameter, only the query itself knows one.
    if case Optional<Any>.none = last as Any {
      asked = query.aroundFetch { _, _ in
        Pages(try await fetch(), param: last)
      }
    }
    let page = asked.retry(0).networkMode(.always)
    run { [client] in _ = try await client.fetchNextPage(of: page) }
  }

  private func fetch<Value>(_ query: Query<Value>) {
    let asked = query.retry(0).staleTime(.zero).networkMode(.always)
    run { [client] in _ = try await client.fetch(asked) }
  }

  /// Ends a fetch that shows nothing any more, as if it had been cancelled: it has not failed.
  private nonisolated static func cancelled() -> CancellationError {
    withUnsafeCurrentTask { $0?.cancel() }
    return CancellationError()
  }

  private func run(_ work: @escaping @Sendable () async throws -> Void) {
    Task(executorPreference: executor) { try? await work() }
    executor.run()
  }
}
