public import StreamQuery

extension AsyncSequence {
  /// Omits results whose property equals that of the one before.
  ///
  /// ```swift
  /// client.stream(.users).removeDuplicates(by: \.data?.count)
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last property is kept, to compare.
  ///
  /// - Parameter property: The property to compare.
  /// - Returns: Results that differ in the property from the one before.
  @inlinable
  public func removeDuplicates<Value, Property: Equatable & Sendable>(
    by property: @escaping @Sendable (QueryResult<Value>) -> Property
  ) -> ResultSequence<Self, _RemoveEqualPropertyStep<Value, Property>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _RemoveEqualPropertyStep(property: property))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `removeDuplicates(by:)` with a property.
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
  /// - Returns: The result, if its property differs from the last one's.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    let new = property(result)
    guard new != last else { return nil }
    last = new
    return result
  }
}
