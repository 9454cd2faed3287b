public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// Goes on to show the old data when new data is equal.
  ///
  /// What was made of the data, as by `select`, is then not made again.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is kept, to compare.
  ///
  /// - Complexity: One comparison per new data.
  /// - Returns: Results that share what did not change.
  public func sharingUnchanged<Value: Equatable>()
    -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, SharingStep(Sharing.whole))
  }

  /// Keeps the elements that come again at the same position.
  ///
  /// As the form for any `Equatable` data, for the parts of a collection.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is kept, to compare.
  ///
  /// - Complexity: O(*n*) comparisons per new data.
  /// - Returns: Results that share what did not change.
  public func sharingUnchanged<Value: Equatable>()
    -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where Element == QueryResult<Value>, Value: RangeReplaceableCollection, Value.Element: Equatable {
    StepSequence(self, SharingStep(Sharing.byPosition))
  }

  /// Keeps the elements that come again, wherever in the list.
  ///
  /// For lists whose rows are objects, or expensive to compare: a refresh that changes one row
  /// leaves the others what they were. If nothing changed at all, neither did the list.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.filter { !$0.email.isEmpty } }.sharingUnchanged()
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is kept, to compare.
  ///
  /// - Complexity: O(*n*) comparisons per new data.
  /// - Returns: Results that share what did not change.
  public func sharingUnchanged<Value: Equatable>()
    -> some AsyncSequence<QueryResult<Value>, Failure> & Sendable
  where
    Element == QueryResult<Value>,
    Value: RangeReplaceableCollection,
    Value.Element: Equatable & Identifiable
  {
    StepSequence(self, SharingStep(Sharing.byIdentity))
  }
}

extension AsyncSequence {
  /// Goes on to show the old data when new data is equal.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Complexity: One comparison per new data.
  /// - Returns: Results that share what did not change.
  public func sharingUnchanged<Value: Equatable>()
    -> some AsyncSequence<QueryResult<Value>, Failure>
  where Element == QueryResult<Value> {
    StepSequence(self, SharingStep(Sharing.whole))
  }

  /// Keeps the elements that come again at the same position.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Complexity: O(*n*) comparisons per new data.
  /// - Returns: Results that share what did not change.
  public func sharingUnchanged<Value: Equatable>()
    -> some AsyncSequence<QueryResult<Value>, Failure>
  where Element == QueryResult<Value>, Value: RangeReplaceableCollection, Value.Element: Equatable {
    StepSequence(self, SharingStep(Sharing.byPosition))
  }

  /// Keeps the elements that come again, wherever in the list.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Complexity: O(*n*) comparisons per new data.
  /// - Returns: Results that share what did not change.
  public func sharingUnchanged<Value: Equatable>()
    -> some AsyncSequence<QueryResult<Value>, Failure>
  where
    Element == QueryResult<Value>,
    Value: RangeReplaceableCollection,
    Value.Element: Equatable & Identifiable
  {
    StepSequence(self, SharingStep(Sharing.byIdentity))
  }
}

struct SharingStep<Value: Equatable & Sendable>: ResultStep, Sendable {
  private let share: @Sendable (_ old: Value, _ new: Value) -> Value
  /// The data that came last.
  private var source: ValueBox?
  /// What is shown of it.
  private var shared: ValueBox?

  init(_ share: @escaping @Sendable (_ old: Value, _ new: Value) -> Value) {
    self.share = share
  }

  mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    guard let box = result.frame.data else { return result }
    if box !== source {
      source = box
      shared = shared.map { Sharing.box($0, box, share) } ?? box
    }
    guard let shared, shared !== box else { return result }
    let frame = Frame(result.frame, data: shared, error: result.frame.error)
    return QueryResult(frame: frame, flags: result.flags)
  }
}
