import Synchronization

/// The request that an element of a connected trigger stream makes.
///
/// ```swift
/// let inbox = client.connect(
///   triggers: notifications.map { _ in .invalidate(.prefix("inbox")) })
/// ```
public struct QueryTrigger: Sendable, _FreeOfActors {
  enum Kind: Sendable {
    /// The last value is the query that the trigger names: its store is opened, and its fetch used.
    case invalidate(QueryFilter, RefetchScope, (key: EntryKey, definition: QueryDefinition)?)
    case refetch(QueryFilter)
  }

  let kind: Kind

  /// Marks entries as invalidated and refetches those in scope.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - refetch: The invalidated entries to refetch.
  /// - Returns: The trigger.
  public static func invalidate(_ filter: QueryFilter, refetch: RefetchScope = .active) -> Self {
    QueryTrigger(kind: .invalidate(filter, refetch, nil))
  }

  /// Marks a query as invalidated and refetches it if it is observed.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - refetch: Whether to refetch it.
  /// - Returns: The trigger.
  public static func invalidate<Value>(
    _ query: Query<Value>,
    refetch: RefetchScope = .active
  ) -> Self {
    let named = (key: EntryKey(query.key), definition: query.definition)
    return QueryTrigger(kind: .invalidate(.query(query), refetch, named))
  }

  /// Refetches entries.
  ///
  /// - Parameter filter: Selects the entries.
  /// - Returns: The trigger.
  public static func refetch(_ filter: QueryFilter) -> Self {
    QueryTrigger(kind: .refetch(filter))
  }
}

/// The connection of a trigger stream to a client, until the stream ends or is cancelled, or this
/// handle or the client is released.
public final class TriggerConnection: Sendable {
  private let task: Task<Void, Never>
  private let shutdownHandlers: ShutdownHandlers
  private let ending: Int?

  init(task: Task<Void, Never>, shutdownHandlers: ShutdownHandlers) {
    self.task = task
    self.shutdownHandlers = shutdownHandlers
    ending = shutdownHandlers.add { task.cancel() }
    // The client has already ended, so no handler would cancel the task.
    if ending == nil { task.cancel() }
  }

  deinit {
    cancel()
  }

  /// Disconnects the stream; a second call does nothing.
  public func cancel() {
    task.cancel()
    if let ending { shutdownHandlers.remove(ending) }
  }
}

/// Carries a value that is not `Sendable` into the one task that takes it.
final class SendOnce<Value>: @unchecked Sendable {
  // The conformance is unchecked: the value came as `sending`, so no other code can reach it, and
  // `take` returns it once. `Mutex` alone cannot express this, since it does not let a value out
  // again as `sending`.
  private var value: Value?
  private let isTaken = Atomic(false)

  init(_ value: sending Value) {
    self.value = value
  }

  /// The value, for the first caller only.
  func take() -> Value? {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    defer { value = nil }
    return value
  }
}
