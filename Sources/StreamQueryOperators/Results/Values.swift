public import StreamQuery

extension AsyncSequence where Self: Sendable {
  /// The data alone, each time that it is new.
  ///
  /// For queries that depend on another one's data: a refresh that changes only flags gives no
  /// element, and neither do placeholders and errors. Put `throwing(when:)` before it to end at an
  /// error.
  ///
  /// ```swift
  /// client.stream(.user(email)).values().map(\.id)
  ///   .switchToLatest { client.stream(.projects(of: $0)) }
  /// ```
  ///
  /// A fetch that brings an equal value is new data; put `removeDuplicates()` before it to leave
  /// that out.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is kept, to compare.
  ///
  /// - Returns: A sequence of values.
  @inlinable
  public func values<Value>() -> some AsyncSequence<Value, Failure> & Sendable
  where Element == QueryResult<Value> {
    StepSequence(self, ValuesStep())
  }
}

extension AsyncSequence {
  /// The data alone, each time that it is new.
  ///
  /// As the operator of a `Sendable` sequence, for one that is not.
  ///
  /// - Returns: A sequence of values.
  @inlinable
  public func values<Value>() -> some AsyncSequence<Value, Failure>
  where Element == QueryResult<Value> {
    StepSequence(self, ValuesStep())
  }
}

@usableFromInline
struct ValuesStep<Value: Sendable>: ResultStep, Sendable {
  private var last: ValueBox?

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func take(_ result: QueryResult<Value>) -> Value? {
    guard result.hasRealData, let box = result.frame.data, box !== last else { return nil }
    last = box
    return box.value(as: Value.self)
  }
}
