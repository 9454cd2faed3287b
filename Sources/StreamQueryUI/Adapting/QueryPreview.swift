public import StreamQuery

/// A client for previews, in which each query is put into a state and stays there.
///
/// Only calls of the preview change states. A query without a state is pending and is not fetched. Commands
/// of observed objects (refetch, reset, load the next page, run or reset a mutation, try again after an
/// error) have no effect. Calls that wait return the present result at once, and calls that throw throw
/// `CancellationError`; `firstValue()` throws this error if there is no data. `client.observe(_:on:)` shows
/// the prepared states. State of a view alone, such as the position in pages, changes as ever. Calls of the
/// client itself work: a write shows, and a fetch begins and never ends.
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
  /// The client, for models; views get it from the modifier `queryPreview(_:)`.
  public let client: QueryClient

  let executor = PreviewExecutor()
  /// The states of mutations.
  let runs = PreparedRuns()
  /// The continuations that end the sequences of ``makeSilence()``.
  private var endings: [AsyncStream<Never>.Continuation] = []

  /// Creates a client and puts queries and mutations into states.
  ///
  /// - Parameter states: Sets the states, by calls of its argument.
  public init(_ states: (QueryPreview) -> Void = { _ in }) {
    var options = QueryOptions.default
    options.refetchOnSubscribe = .never
    options.retryOnSubscribe = false
    let configuration = QueryClient.Configuration(
      // A state stays until a view shows it, however long that takes.
      defaults: QueryDefaults(staleTime: .static, gcTime: .seconds(Int64.max), options: options),
      // The client is offline for `paused(_:)`, because no other state depends on the network.
      connectivity: Connectivity { AsyncStream<Bool> { $0.yield(false) } },
      activity: .alwaysActive,
      memoryPressure: .none,
      executor: executor
    )
    client = QueryClient(configuration: configuration)
    MainActorDelivery.of(client).prepared = runs
    states(self)
  }

  deinit {
    for ending in endings { ending.finish() }
  }

  /// Makes a sequence that has no elements and ends when the preview is released; endless work waits for it.
  ///
  /// Each work has a sequence of its own, because a cancelled task ends its sequence.
  func makeSilence() -> AsyncStream<Never> {
    let (silence, ending) = AsyncStream<Never>.makeStream()
    endings.append(ending)
    return silence
  }

  /// Gives data to a query.
  ///
  /// - Parameters:
  ///   - value: The data.
  ///   - query: The query.
  public func data<Value>(_ value: Value, for query: Query<Value>) {
    // The query's own retention does not count.
    client.setData(value, for: query.key)
  }

  /// Puts a query into the state of fetching: for the first time, or again if it has data.
  ///
  /// - Parameter query: The query.
  public func loading<Value>(_ query: Query<Value>) {
    let silence = makeSilence()
    fetch(
      Query(key: query.key) {
        for await _ in silence {}
        throw Self.cancelled()
      }
    )
  }

  /// Puts a query into the state of failure; the query keeps its data.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - query: The query.
  public func failure<Value>(_ error: any Error, for query: Query<Value>) {
    fetch(Query(key: query.key) { throw error })
  }

  /// Puts a query into the state of waiting for the network; the query keeps its data.
  ///
  /// - Parameter query: The query.
  public func paused<Value>(_ query: Query<Value>) {
    // The jobs of the client run first, so that the client knows that it is offline.
    executor.run()
    client.cancel(query)
    let asked = Query(key: query.key) { () async throws -> Value in throw CancellationError() }
    run { [client] in _ = try await client.fetch(asked.networkMode(.online).staleTime(.zero)) }
  }

  /// Puts an infinite query into the state of fetching its next page.
  ///
  /// - Parameter query: The query; give it data before.
  public func loadingNextPage<Page, PageParam>(_ query: InfiniteQuery<Page, PageParam>) {
    let silence = makeSilence()
    nextPage(of: query) {
      for await _ in silence {}
      throw Self.cancelled()
    }
  }

  /// Puts an infinite query into the state in which fetching its next page has failed.
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
    // Without a page, the query has no next one.
    guard let last = client.data(for: query)?.params.last else { return }
    var asked = InfiniteQuery<Page, PageParam>(
      key: query.key,
      initialPageParam: last,
      fetch: { _, _ in try await fetch() },
      nextPageParam: { $0.params.last }
    )
    // If the parameter of the last page is `nil`, the page is appended here, because `nextPageParam` cannot
    // return that parameter.
    if case Optional<Any>.none = last as Any {
      asked = query.aroundFetch { _, _ in
        Pages(try await fetch(), param: last)
      }
    }
    let page = asked.retry(0).networkMode(.always)
    client.cancel(query)
    run { [client] in _ = try await client.fetchNextPage(of: page) }
  }

  private func fetch<Value>(_ query: Query<Value>) {
    let asked = query.retry(0).staleTime(.zero).networkMode(.always)
    // The fetch of a former state is cancelled: otherwise this call would join it, and would never end.
    client.cancel(query)
    run { [client] in _ = try await client.fetch(asked) }
  }

  /// Cancels the current task and returns the error to throw, so that a preview's endless fetch ends as
  /// cancelled and shows no failure.
  private nonisolated static func cancelled() -> CancellationError {
    withUnsafeCurrentTask { $0?.cancel() }
    return CancellationError()
  }

  private func run(_ work: @escaping @Sendable () async throws -> Void) {
    Task(executorPreference: executor) { try? await work() }
    executor.run()
  }
}
