public import StreamQuery

extension AsyncSequence {
  /// Shows the data of the previous key while a new key is fetched.
  ///
  /// Use it for a stream whose key changes, such as pages or a search: the list stays on screen
  /// until the next one arrives.
  ///
  /// ```swift
  /// searchText
  ///   .debounce(for: .milliseconds(300))
  ///   .switchToLatest { client.stream(.search($0)) }
  ///   .keepPreviousData()
  /// ```
  ///
  /// Kept data is a placeholder: status success, `isPlaceholderData`, no `dataUpdatedAt`. It shows
  /// while the new key has neither data nor an error, and it is never cached. A key that loses its
  /// own data, for example by a reset, does not show it again.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result with data is kept.
  ///
  /// - Returns: Results that keep data across a change of key.
  @inlinable
  public func keepPreviousData<Value>()
    -> ResultSequence<Self, _KeepPreviousDataStep<Value>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _KeepPreviousDataStep())
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `keepPreviousData()`.
public struct _KeepPreviousDataStep<Value: Sendable>: _ResultStep, Sendable {
  private var previous = PreviousData<Value>()

  /// Creates a step without history, for code that has results without a sequence.
  public init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, with the data of the previous key while it has none.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    guard let kept = previous.take(result) else { return result }
    return result.standingIn(kept.snapshot.data)
  }
}
