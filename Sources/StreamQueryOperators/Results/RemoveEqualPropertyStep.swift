public import StreamQuery

extension AsyncSequence {
  /// Omits a result if its property equals that of the last result that passed.
  ///
  /// ```swift
  /// client.stream(.users).removeDuplicates(by: \.data?.count)
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last property is stored for the comparison.
  ///
  /// - Parameter property: Returns the property of a result.
  /// - Returns: Results with a property that differs from that of the last one that passed.
  @inlinable
  public func removeDuplicates<Value, Property: Equatable & Sendable>(
    by property: @escaping @Sendable (QueryResult<Value>) -> Property
  ) -> ResultSequence<Self, _RemoveEqualPropertyStep<Value, Property>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _RemoveEqualPropertyStep(property: property))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `removeDuplicates(by:)` for a property.
public struct _RemoveEqualPropertyStep<Value: Sendable, Property: Equatable & Sendable>:
  _ResultStep, Sendable
{
  private let property: @Sendable (QueryResult<Value>) -> Property
  private var last: Property?

  @usableFromInline
  init(property: @escaping @Sendable (QueryResult<Value>) -> Property) {
    self.property = property
  }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, if its property differs from that of the last one that passed.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    let new = property(result)
    guard new != last else { return nil }
    last = new
    return result
  }
}
