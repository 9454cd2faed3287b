/// The snapshots of a query that has a default value, as a cold sequence.
///
/// It is a ``QueryResults`` whose elements always have data: each iterator is its own subscription,
/// and stays on the caller's actor.
///
/// ```swift
/// let todos = Query("todos") { try await api.todos() }.defaulting(to: [])
/// for await result in client.results(of: todos) { show(result.data.count, more: result.isFetching) }
/// ```
public struct DefaultedResults<Value: Sendable>: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = DefaultedResult<Value>
  /// It cannot fail: a failed fetch is a state in the results.
  public typealias Failure = Never

  private let results: QueryResults<Value>
  private let defaultValue: Value

  init(_ results: QueryResults<Value>, default defaultValue: Value) {
    self.results = results
    self.defaultValue = defaultValue
  }

  /// Starts to observe.
  ///
  /// - Returns: An iterator that holds the subscription.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: results.makeAsyncIterator(), defaultValue: defaultValue)
  }

  /// One subscription.
  public struct Iterator: AsyncIteratorProtocol {
    /// A snapshot.
    public typealias Element = DefaultedResult<Value>
    /// It cannot fail.
    public typealias Failure = Never

    fileprivate var base: QueryResults<Value>.Iterator
    fileprivate let defaultValue: Value

    /// The newest unseen snapshot, as soon as there is one.
    ///
    /// - Parameter actor: The caller's isolation, which is kept.
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> DefaultedResult<Value>? {
      await base.next(isolation: actor).map { DefaultedResult($0, default: defaultValue) }
    }

    /// The newest unseen snapshot, as soon as there is one.
    ///
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next() async -> DefaultedResult<Value>? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension DefaultedResults.Iterator: Sendable {}
