public import StreamQuery

extension AsyncSequence {
  /// Leaves out results that show the same as the one before: equal data, status and error.
  ///
  /// A refresh that brings the same again is not shown, and neither is that it ran: fetch status,
  /// times and counts are not compared. Use `changes(of:)` to choose what counts. A placeholder and
  /// equal real data are not the same.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result is kept, to compare.
  ///
  /// - Returns: Results that differ from the one before.
  @inlinable
  public func removeDuplicates<Value: Equatable>()
    -> ResultSequence<Self, RemoveEqualDataStep<Value>>
  where Element == QueryResult<Value> {
    ResultSequence(self, RemoveEqualDataStep())
  }

  /// Leaves out results of which a property is as in the one before.
  ///
  /// ```swift
  /// client.stream(.users).removeDuplicates(by: \.data?.count)
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last property is kept, to compare.
  ///
  /// - Parameter property: What to compare; nothing else counts.
  /// - Returns: Results that differ in the property from the one before.
  @inlinable
  public func removeDuplicates<Value, Property: Equatable & Sendable>(
    by property: @escaping @Sendable (QueryResult<Value>) -> Property
  ) -> ResultSequence<Self, RemoveEqualPropertyStep<Value, Property>>
  where Element == QueryResult<Value> {
    ResultSequence(self, RemoveEqualPropertyStep(property: property))
  }

  /// Leaves out results that a closure holds to be the same as the one before.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result is kept, to compare.
  ///
  /// - Parameter areSame: Gets the last result that was let through and the newest.
  /// - Returns: Results that differ from the one before.
  @inlinable
  public func removeDuplicates<Value>(
    by areSame: @escaping @Sendable (QueryResult<Value>, QueryResult<Value>) -> Bool
  ) -> ResultSequence<Self, RemoveSameStep<Value>> where Element == QueryResult<Value> {
    ResultSequence(self, RemoveSameStep(areSame: areSame))
  }
}

/// The step of `removeDuplicates()`.
public struct RemoveEqualDataStep<Value: Equatable & Sendable>: ResultStep, Sendable {
  private var last: QueryResult<Value>?

  @usableFromInline
  init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: It, unless it shows the same as the last one.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let last, isSame(last, result) { return nil }
    last = result
    return result
  }

  private func isSame(_ old: QueryResult<Value>, _ new: QueryResult<Value>) -> Bool {
    guard
      old.frame.error === new.frame.error, old.isPlaceholderData == new.isPlaceholderData
    else { return false }
    // Values are compared only where the box does not say it already.
    return old.frame.data === new.frame.data || old.data == new.data
  }
}

/// The step of `removeDuplicates(by:)` with a property.
public struct RemoveEqualPropertyStep<Value: Sendable, Property: Equatable & Sendable>:
  ResultStep, Sendable
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
  /// - Returns: It, if its property is not the last one's.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    let new = property(result)
    guard new != last else { return nil }
    last = new
    return result
  }
}

/// The step of `removeDuplicates(by:)` with a comparison.
public struct RemoveSameStep<Value: Sendable>: ResultStep, Sendable {
  private let areSame: @Sendable (QueryResult<Value>, QueryResult<Value>) -> Bool
  private var last: QueryResult<Value>?

  @usableFromInline
  init(areSame: @escaping @Sendable (QueryResult<Value>, QueryResult<Value>) -> Bool) {
    self.areSame = areSame
  }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: It, unless it is held to be the same as the last one.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    if let last, areSame(last, result) { return nil }
    last = result
    return result
  }
}
