public import StreamQuery

extension AsyncSequence {
  /// Goes on to show the old data where new data is equal, and its equal parts.
  ///
  /// For what was made of the data on the way, as by `select`: what a fetch brings shares with the cached
  /// value anyway. Lists keep the elements that come again, by their identity if they are `Identifiable`,
  /// else by position; pages and dictionaries likewise, and types of your own as their conformance to
  /// ``/StreamQuery/StructurallyShared`` says. If nothing changed at all, the data is the same data.
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
    -> ResultSequence<Self, SharingStep<Value>>
  where Element == QueryResult<Value> {
    ResultSequence(self, SharingStep())
  }
}

/// The step of `sharingUnchanged()`.
public struct SharingStep<Value: Equatable & Sendable>: ResultStep, Sendable {
  private let rule = SharingRule.of(Value.self)
  /// The data that came last.
  private var source: ValueBox?
  /// What is shown of it.
  private var shared: ValueBox?

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: It, over data that shares what did not change.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    guard let box = result.frame.data else { return result }
    if box !== source {
      source = box
      shared = shared.flatMap { rule?.share($0, box) } ?? box
    }
    guard let shared, shared !== box else { return result }
    let frame = Frame(result.frame, data: shared, error: result.frame.error)
    return QueryResult(frame: frame, flags: result.flags)
  }
}
