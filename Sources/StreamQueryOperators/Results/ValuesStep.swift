public import StreamQuery

extension AsyncSequence {
  /// Delivers only the data of results, whenever it is new.
  ///
  /// Use this for queries that depend on another query's data. A refetch that changes only flags, or brings
  /// an equal value, gives no element. Placeholders and errors give none, either. Put `throwing(when:)`
  /// before this operator to end at an error.
  ///
  /// ```swift
  /// client.stream(.user(email)).values().map(\.id)
  ///   .switchToLatest { client.stream(.projects(of: $0)) }
  /// ```
  ///
  /// Values are compared if their type is `Equatable`, which is checked at run time. With any other type,
  /// each fetch and each write brings new data. If an equal value has a meaning, such as a confirmed price,
  /// pass `false`: then every fetch and every write gives an element, unless the consumer is too slow.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data is stored for the comparison.
  ///
  /// - Parameter removingDuplicates: Whether a value that equals the one before is omitted.
  /// - Complexity: One comparison per new data.
  /// - Returns: A sequence of values.
  @inlinable
  public func values<Value>(
    removingDuplicates: Bool = true
  ) -> ResultSequence<Self, _ValuesStep<Value>> where Element == QueryResult<Value> {
    ResultSequence(self, _ValuesStep(removesDuplicates: removingDuplicates))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `values(removingDuplicates:)`.
public struct _ValuesStep<Value: Sendable>: _ResultStep, Sendable {
  private let removesDuplicates: Bool
  private var last: ValueBox?
  /// The number of fetches and writes at the last value; used only if each of them gives an element.
  private var count = 0

  @usableFromInline
  init(removesDuplicates: Bool) {
    self.removesDuplicates = removesDuplicates
  }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The data, if it is new.
  public mutating func take(_ result: QueryResult<Value>) -> Value? {
    guard result.hasRealData, let box = result.snapshot.data else { return nil }
    guard removesDuplicates else {
      // If a fetch or a write has brought the same value again, the box may be the same, so the count
      // decides. But the box of a result with an error may be older than the count: a selection threw for the
      // new data.
      let isAgain = result.snapshot.dataUpdateCount != count && !result.isError
      guard box !== last || isAgain else { return nil }
      (last, count) = (box, result.snapshot.dataUpdateCount)
      return box.value(as: Value.self)
    }
    guard box !== last else { return nil }
    let value = box.value(as: Value.self)
    let isSame = last.map { Equality.compare($0.value(as: Value.self), value) == true } ?? false
    // The newest box is stored even if its value is equal, so that the next result with this box needs no
    // comparison.
    last = box
    return isSame ? nil : value
  }
}
