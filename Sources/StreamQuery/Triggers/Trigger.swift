/// What an element of a connected trigger stream asks for.
///
/// ```swift
/// let inbox = client.connect(
///   triggers: notifications.map { _ in .invalidate(.prefix("inbox")) })
/// ```
public struct Trigger: Sendable, _FreeOfActors {
  enum Kind: Sendable {
    case invalidate(QueryFilter, RefetchScope)
    case refetch(QueryFilter)
  }

  let kind: Kind

  /// Marks entries as invalidated and refetches those in scope.
  ///
  /// - Parameters:
  ///   - filter: Which entries.
  ///   - refetch: Which of them to refetch.
  /// - Returns: The trigger.
  public static func invalidate(_ filter: QueryFilter, refetch: RefetchScope = .active) -> Self {
    Trigger(kind: .invalidate(filter, refetch))
  }

  /// Marks a query as invalidated and refetches it if it is observed.
  ///
  /// - Parameters:
  ///   - query: Which query.
  ///   - refetch: Whether to refetch it.
  /// - Returns: The trigger.
  public static func invalidate<Value>(
    _ query: Query<Value>,
    refetch: RefetchScope = .active
  ) -> Self {
    Trigger(kind: .invalidate(.query(query), refetch))
  }

  /// Refetches entries.
  ///
  /// - Parameter filter: Which entries.
  /// - Returns: The trigger.
  public static func refetch(_ filter: QueryFilter) -> Self {
    Trigger(kind: .refetch(filter))
  }
}

/// A connected trigger stream: it feeds the client until it ends, is cancelled, or this handle or the
/// client goes.
public final class TriggerConnection: Sendable {
  private let task: Task<Void, Never>
  private let endings: Endings
  private let ending: Int?

  init(task: Task<Void, Never>, endings: Endings) {
    self.task = task
    self.endings = endings
    ending = endings.add { task.cancel() }
    // The client is over already.
    if ending == nil { task.cancel() }
  }

  deinit {
    cancel()
  }

  /// Disconnects the stream; a second time is a no-op.
  public func cancel() {
    task.cancel()
    if let ending { endings.remove(ending) }
  }
}
