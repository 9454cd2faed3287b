/// What an element of a connected trigger stream requests.
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
  ///   - filter: Selects the entries.
  ///   - refetch: Which of them to refetch.
  /// - Returns: The trigger.
  public static func invalidate(_ filter: QueryFilter, refetch: RefetchScope = .active) -> Self {
    Trigger(kind: .invalidate(filter, refetch))
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
    Trigger(kind: .invalidate(.query(query), refetch))
  }

  /// Refetches entries.
  ///
  /// - Parameter filter: Selects the entries.
  /// - Returns: The trigger.
  public static func refetch(_ filter: QueryFilter) -> Self {
    Trigger(kind: .refetch(filter))
  }
}
