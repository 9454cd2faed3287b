/// The snapshots of a query as a sequence of its own: cold, and cheap where it is used.
///
/// Each iterator subscribes for itself when it is made and starts with the latest snapshot. It
/// stays on the caller's actor, so that a main-actor consumer pays a third of a microsecond for an
/// element where any `AsyncStream` costs a thread switch: user interfaces use this one.
///
/// ```swift
/// for await result in client.results(of: .user(42)) { show(result.data) }
/// ```
///
/// An iterator ends at once when its task is cancelled in `next`, and when it is dropped.
public struct QueryResults<Value: Sendable>: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = QueryResult<Value>
  /// It cannot fail: a failed fetch is a state, and stays in the results.
  public typealias Failure = Never

  private enum Source: Sendable {
    case query(QueryClient, EntryKey, QueryPlan)
    case other(@Sendable () -> Subscription)
  }

  private let source: Source

  /// Creates a sequence of what an observer of a query without options of its own sees.
  ///
  /// Apart from the form below, because it needs no closure to be made.
  init(_ query: Query<Value>, client: QueryClient) {
    source = .query(client, EntryKey(query.key), query.plan)
  }

  /// Creates a sequence of what an observer sees.
  ///
  /// - Parameter subscribe: Makes the observer of an iterator.
  package init(subscribe: @escaping @Sendable () -> Subscription) {
    source = .other(subscribe)
  }

  /// Begins to observe, for an operator that looks at several observers together.
  ///
  /// - Returns: The observer.
  package func makeSubscription() -> Subscription {
    switch source {
    case .query(let client, let key, let plan): client.subscribe(key, plan, options: nil)
    case .other(let subscribe): subscribe()
    }
  }

  /// Begins to observe.
  ///
  /// - Returns: An iterator that holds the subscription.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: makeSubscription())
  }

  /// One subscription.
  public struct Iterator: AsyncIteratorProtocol {
    /// A snapshot.
    public typealias Element = QueryResult<Value>
    /// It cannot fail.
    public typealias Failure = Never

    let subscription: Subscription

    /// The newest snapshot that was not seen, as soon as there is one.
    ///
    /// - Parameter actor: The caller's isolation, which is kept.
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> QueryResult<Value>? {
      switch subscription.takeUnlessCancelled() {
      case .news(let frame, let flags): return QueryResult(frame: frame, flags: flags)
      case .over: return nil
      case .nothing: break
      }
      guard let (frame, flags) = await subscription.wait(isolation: actor) else { return nil }
      return QueryResult(frame: frame, flags: flags)
    }

    /// The newest snapshot that was not seen, as soon as there is one.
    ///
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next() async -> QueryResult<Value>? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension QueryResults.Iterator: Sendable {}
