public import StreamQuery

extension AsyncSequence {
  /// Shows a placeholder while there is neither data nor an error; a closure makes it from earlier data.
  ///
  /// ```swift
  /// client.results(of: .user(id)).placeholder { _, _ in
  ///   client.data(for: .users)?.first { $0.id == id }
  /// }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result with data is stored.
  ///
  /// - Parameter make: Gets the data and the result of the previous key; both are `nil` if there was no such
  ///   key, or if it was reset. Runs once whenever a key begins to lack data; `nil` shows no placeholder.
  /// - Returns: Results with a placeholder in place of missing data.
  public func placeholder<Value>(
    _ make: @escaping @Sendable (_ previous: Value?, _ result: QueryResult<Value>?) -> Value?
  ) -> ResultSequence<Self, _MadePlaceholderStep<Value>> where Element == QueryResult<Value> {
    ResultSequence(self, _MadePlaceholderStep(make: make))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `placeholder(_:)` with a closure.
public struct _MadePlaceholderStep<Value: Sendable>: _ResultStep, Sendable {
  typealias Make = @Sendable (_ previous: Value?, _ result: QueryResult<Value>?) -> Value?

  private enum Present: Sendable {
    case notAsked
    case asked(for: EntryKey?, answer: TypedBox<Value>?)
  }

  private let make: Make
  private var previous = PreviousData<Value>()
  private var present = Present.notAsked

  init(make: @escaping Make) {
    self.make = make
  }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result; if it is pending, the placeholder is its data.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    let previousResult = previous.take(result)
    guard result.isPending else {
      present = .notAsked
      return result
    }
    let box: TypedBox<Value>?
    if case .asked(for: result.snapshot.key, let answer) = present {
      box = answer
    } else {
      box = make(previousResult?.data, previousResult).map(TypedBox.init)
      present = .asked(for: result.snapshot.key, answer: box)
    }
    return box.map { result.standingIn($0) } ?? result
  }
}
