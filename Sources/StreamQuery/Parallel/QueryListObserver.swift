/// Observes a list of queries, of one value type or of several, that can be replaced in place.
///
/// ```swift
/// let observer = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// for await results in observer.stream {
///   show(results[.user(1)]?.data, results[.repos(1)]?.data)
/// }
/// observer.update([AnyQuery(.user(1)), AnyQuery(.repos(2))])
/// ```
///
/// There is one element for each transaction that changed any of the results, and one for each
/// replaced list. The handle and its streams are one observer: it counts as an observer of each
/// query of the list until one of the streams is cancelled, or the last of them all is released.
public final class QueryListObserver: Sendable {
  private let joint: ListSubscription

  init(_ joint: ListSubscription) {
    self.joint = joint
  }

  /// The results as a stream for one observer; it ends when cancelled or when the client is shut
  /// down.
  public var stream: AsyncStream<QueryListResults> {
    AsyncStream(
      unfolding: { [joint] in await joint.next().map(QueryListResults.init) },
      onCancel: { [joint] in joint.cancel() }
    )
  }

  /// A stream of values that a closure makes of the results, one whenever the value changed.
  ///
  /// ```swift
  /// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
  /// for await isReady in batch.combine({ $0.isSuccess }) { show(isReady) }
  /// ```
  ///
  /// - Parameter transform: Makes a value of the results; called once for each element.
  /// - Returns: A stream for one observer that leaves equal values out.
  public func combine<Output: Equatable & Sendable>(
    _ transform: @escaping @Sendable (QueryListResults) -> Output
  ) -> AsyncStream<Output> {
    let last = LastValue<Output>()
    return AsyncStream(
      unfolding: { [joint] in
        while let members = await joint.next() {
          let output = transform(QueryListResults(members: members))
          if last.replace(with: output) { return output }
        }
        return nil
      },
      onCancel: { [joint] in joint.cancel() }
    )
  }

  /// The current results.
  public var results: QueryListResults { QueryListResults(members: joint.current()) }

  /// Replaces the list.
  ///
  /// A query whose key was in the old list keeps its observer: that is no new subscription and does
  /// not refetch by itself. The other observers of the old list end, and the other queries of the
  /// new list are subscribed to. Results follow the order of the new list.
  ///
  /// - Parameter queries: The new list; a key may appear more than once.
  /// - Complexity: O(*n*) in the lengths of both lists.
  public func update(_ queries: [AnyQuery]) { joint.update(queries) }
}

extension QueryClient {
  /// Observes a list of queries of any value types, through a handle that can replace the list.
  ///
  /// - Parameter queries: The queries to observe.
  /// - Returns: The handle, which observes from now on.
  public nonisolated func observer(all queries: [AnyQuery]) -> QueryListObserver {
    QueryListObserver(ListSubscription(client: self, queries))
  }
}
