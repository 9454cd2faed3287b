public import StreamQuery

extension AsyncSequence {
  /// Shows the data of the previous key while a new key is fetched.
  ///
  /// Use it for a stream that changes its key, as for pages or a search: the list stays on screen until the
  /// next list arrives.
  ///
  /// ```swift
  /// searchText
  ///   .debounce(for: .milliseconds(300))
  ///   .switchToLatest { client.stream(.search($0)) }
  ///   .keepPreviousData()
  /// ```
  ///
  /// The previous data is shown as a placeholder: status success, `isPlaceholderData`, no `dataUpdatedAt`. It
  /// is shown while the new key has neither data nor an error, and it is never cached. If the sequence shows
  /// that a key has lost its own data, for example by a reset, that data is not shown again.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last result with data is stored.
  ///
  /// - Returns: Results that show the previous key's data while a key has none.
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

  /// Creates a step that has seen no result, for code that has results without a sequence.
  public init() {}

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result; if its key has no data, the data of the previous key is its placeholder.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Value>? {
    guard let kept = previous.take(result) else { return result }
    return result.standingIn(kept.snapshot.data)
  }
}
