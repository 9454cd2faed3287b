public import StreamQuery

extension AsyncSequence where Self: Sendable {
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
    -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, RemoveEqualDataStep())
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
  ) -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, RemoveEqualPropertyStep(property: SharedFunction(property)))
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
  ) -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    typealias Function = SharedFunction<(QueryResult<Value>, QueryResult<Value>), Bool, Never>
    return StepSequence(self, RemoveSameStep(areSame: Function { areSame($0.0, $0.1) }))
  }
}

extension AsyncSequence {
  /// Leaves out results that show the same as the one before: equal data, status and error.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Returns: Results that differ from the one before.
  @inlinable
  public func removeDuplicates<Value: Equatable>()
    -> some AsyncSequence<QueryResult<Value>, Failure>
  where Element == QueryResult<Value> {
    StepSequence(self, RemoveEqualDataStep())
  }

  /// Leaves out results of which a property is as in the one before.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter property: What to compare; nothing else counts.
  /// - Returns: Results that differ in the property from the one before.
  @inlinable
  public func removeDuplicates<Value, Property: Equatable>(
    by property: @escaping (QueryResult<Value>) -> Property
  ) -> some AsyncSequence<QueryResult<Value>, Failure> where Element == QueryResult<Value> {
    StepSequence(self, RemoveEqualPropertyStep(property: LocalFunction(property)))
  }

  /// Leaves out results that a closure holds to be the same as the one before.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Parameter areSame: Gets the last result that was let through and the newest.
  /// - Returns: Results that differ from the one before.
  @inlinable
  public func removeDuplicates<Value>(
    by areSame: @escaping (QueryResult<Value>, QueryResult<Value>) -> Bool
  ) -> some AsyncSequence<QueryResult<Value>, Failure> where Element == QueryResult<Value> {
    typealias Function = LocalFunction<(QueryResult<Value>, QueryResult<Value>), Bool, Never>
    return StepSequence(self, RemoveSameStep(areSame: Function { areSame($0.0, $0.1) }))
  }
}

@usableFromInline
struct RemoveEqualDataStep<Value: Equatable & Sendable>: ResultStep, Sendable {
  private var last: QueryResult<Value>?

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
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

@usableFromInline
struct RemoveEqualPropertyStep<Property: UserFunction>: ResultStep
where Property.Output: Equatable, Property.Failure == Never {
  let property: Property
  private var last: Property.Output?

  @usableFromInline
  init(property: Property) {
    self.property = property
  }

  @usableFromInline
  mutating func take(_ result: Property.Input) -> Property.Input? {
    let new = property(result)
    guard new != last else { return nil }
    last = new
    return result
  }
}

extension RemoveEqualPropertyStep: Sendable where Property: Sendable, Property.Output: Sendable {}

@usableFromInline
struct RemoveSameStep<Element, Comparison: UserFunction>: ResultStep
where
  Comparison.Input == (Element, Element),
  Comparison.Output == Bool,
  Comparison.Failure == Never
{
  let areSame: Comparison
  private var last: Element?

  @usableFromInline
  init(areSame: Comparison) {
    self.areSame = areSame
  }

  @usableFromInline
  mutating func take(_ result: Element) -> Element? {
    if let last, areSame((last, result)) { return nil }
    last = result
    return result
  }
}

extension RemoveSameStep: Sendable where Comparison: Sendable, Element: Sendable {}
