public import StreamQuery

extension AsyncSequence {
  /// Reuses the former data, or its parts, where new data is equal.
  ///
  /// Use this for data that operators such as `select` derive; a fetched value shares parts with the cached
  /// one anyway. Lists reuse equal elements, by identity if they are `Identifiable` and by position if not.
  /// Pages and dictionaries reuse equal parts, and your own types do if they conform to
  /// ``/StreamQuery/StructurallyShared``. If nothing has changed, the data stays the same object.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.filter { !$0.email.isEmpty } }.sharingUnchanged()
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is stored for the comparison.
  ///
  /// - Complexity: O(*n*) comparisons per new data.
  /// - Returns: Results with data that shares its unchanged parts.
  public func sharingUnchanged<Value: Equatable>()
    -> ResultSequence<Self, _SharingStep<Value>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _SharingStep())
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `sharingUnchanged()`.
public struct _SharingStep<Value: Equatable & Sendable>: _ResultStep, Sendable {
  private let rule = SharingRule.of(Value.self)
  /// The last data of the base sequence, before sharing.
  private var source: ValueBox?
  /// The data that was made from `source` by sharing.
  private var shared: ValueBox?

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, with data that shares unchanged parts.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    guard let box = result.snapshot.data else { return result }
    if box !== source {
      source = box
      shared = shared.flatMap { rule?.share($0, box) } ?? box
    }
    guard let shared, shared !== box else { return result }
    let snapshot = EntrySnapshot(result.snapshot, data: shared, error: result.snapshot.error)
    return QueryResult(snapshot: snapshot, flags: result.flags)
  }
}
