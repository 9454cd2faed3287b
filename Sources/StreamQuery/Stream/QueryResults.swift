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

  // Properties rather than cases of an enumeration, of which each subscription would copy all.
  // Inlinable, so that a sequence that is iterated where it is made is never put together at all.
  @usableFromInline let client: QueryClient
  @usableFromInline let key: AnyQueryKey
  @usableFromInline let plan: QueryPlan
  /// How to observe, if not just as the query says.
  @usableFromInline let subscribe: (@Sendable () -> Subscription)?

  /// Creates a sequence of what an observer of a query sees.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: Where to observe it.
  ///   - subscribe: Makes the observer of an iterator; `nil` for one without options of its own,
  ///     which needs no closure to be made.
  @inlinable
  init(
    _ query: Query<Value>,
    client: QueryClient,
    subscribe: (@Sendable () -> Subscription)? = nil
  ) {
    self.client = client
    key = query.key.erased
    plan = query.plan
    self.subscribe = subscribe
  }

  private init(_ other: Self, subscribe: @escaping @Sendable () -> Subscription) {
    client = other.client
    key = other.key
    plan = other.plan
    self.subscribe = subscribe
  }

  /// The same sequence for an observer that is there already.
  ///
  /// - Parameter subscription: The observer.
  /// - Returns: A sequence whose iterators all are this observer.
  package func observed(by subscription: Subscription) -> Self {
    Self(self) { subscription }
  }

  /// Begins to observe, for an operator that looks at several observers together.
  ///
  /// - Returns: The observer.
  @inlinable
  package func makeSubscription() -> Subscription {
    if let subscribe { return subscribe() }
    return client.subscribe(key, Value.self, plan)
  }

  /// Begins to observe.
  ///
  /// - Returns: An iterator that holds the subscription.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: makeSubscription())
  }

  /// One subscription.
  public struct Iterator: AsyncIteratorProtocol {
    /// A snapshot.
    public typealias Element = QueryResult<Value>
    /// It cannot fail.
    public typealias Failure = Never

    @usableFromInline let subscription: Subscription

    @inlinable
    init(subscription: Subscription) {
      self.subscription = subscription
    }

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
