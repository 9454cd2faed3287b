/// The snapshots of a query as a cold sequence that is cheap to iterate.
///
/// Each iterator subscribes when it is made and starts with the latest snapshot. Iterators stay on the
/// caller's actor: on the main actor, an element takes a third of a microsecond. With an `AsyncStream`, each
/// element costs a switch of threads. Use this sequence for user interfaces.
///
/// ```swift
/// for await result in client.results(of: .user(42)) { show(result.data) }
/// ```
///
/// An iterator ends at once when its task is cancelled in `next`, and when it is dropped.
public struct QueryResults<Value: Sendable>: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = QueryResult<Value>
  /// The sequence cannot fail: a failed fetch is a state in the results.
  public typealias Failure = Never

  // These are properties and not an enumeration, which each subscription would copy as a whole.
  // They are inlinable, so that a sequence that is iterated where it is made is optimized away.
  @usableFromInline let client: QueryClient
  @usableFromInline let key: AnyQueryKey
  @usableFromInline let definition: QueryDefinition
  /// Makes the observer of an iterator; `nil` if the observer needs nothing but the query.
  @usableFromInline let subscribe: (@Sendable () -> Subscription)?

  /// Creates a sequence of the snapshots of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: The client that observes the query.
  ///   - subscribe: Makes the observer of an iterator; `nil` if the observer has no options of its
  ///     own, and needs no closure.
  @inlinable
  init(
    _ query: Query<Value>,
    client: QueryClient,
    subscribe: (@Sendable () -> Subscription)? = nil
  ) {
    self.client = client
    key = query.key.erased
    definition = query.definition
    self.subscribe = subscribe
  }

  private init(_ other: Self, subscribe: @escaping @Sendable () -> Subscription) {
    client = other.client
    key = other.key
    definition = other.definition
    self.subscribe = subscribe
  }

  /// Returns the sequence of an existing observer.
  ///
  /// - Parameter subscription: The observer.
  /// - Returns: A sequence whose iterators share this observer.
  package func observed(by subscription: Subscription) -> Self {
    Self(self) { subscription }
  }

  /// Starts to observe, for an operator that reads several observers together.
  ///
  /// - Returns: The observer.
  @inlinable
  package func makeSubscription() -> Subscription {
    if let subscribe { return subscribe() }
    return client.subscribeErased(key, Value.self, definition)
  }

  /// Starts to observe.
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
    /// An iterator cannot fail.
    public typealias Failure = Never

    @usableFromInline let subscription: Subscription

    @inlinable
    init(subscription: Subscription) {
      self.subscription = subscription
    }

    /// The newest unseen snapshot, as soon as there is one.
    ///
    /// - Parameter actor: The caller's isolation, which is kept.
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> QueryResult<Value>? {
      switch subscription.takeUnlessCancelled() {
      case .news(let news): return QueryResult(snapshot: news.snapshot, flags: news.flags)
      case .over: return nil
      case .nothing: break
      }
      guard let (snapshot, flags) = await subscription.waitForNews(isolation: actor) else {
        return nil
      }
      return QueryResult(snapshot: snapshot, flags: flags)
    }

    /// The newest unseen snapshot, as soon as there is one.
    ///
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next() async -> QueryResult<Value>? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension QueryResults.Iterator: Sendable {}
