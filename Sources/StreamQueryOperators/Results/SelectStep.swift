public import StreamQuery

extension AsyncSequence {
  /// Shows a part of the data, or something made of it; all else stays as it is.
  ///
  /// The cache keeps the whole value. The selection is made once per data: as long as the data is
  /// the same, so is what was selected.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  /// ```
  ///
  /// If the closure throws, this stream alone shows a failure: `error` is what it threw, and `data`
  /// the last selection of the same key that succeeded, if any. The next data that can be selected
  /// clears it. A key that lost its data, as by a reset, has no last selection either, and one of which
  /// a placeholder could not be selected has no data.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data and its selection are kept.
  ///
  /// - Parameter transform: Makes the selection. Runs where the consumer is, once per data.
  /// - Returns: Results of the selection.
  @inlinable
  public func select<Value, Selected: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Selected
  ) -> ResultSequence<Self, SelectStep<Value, Selected>>
  where Element == QueryResult<Value> {
    ResultSequence(self, SelectStep(transform: transform))
  }
}

/// The step of `select(_:)`.
public struct SelectStep<Value: Sendable, Selected: Sendable>: ResultStep, Sendable {
  private let transform: @Sendable (Value) throws -> Selected
  /// The data that was selected from last.
  private var source: ValueBox?
  /// The last selection that succeeded.
  private var selected: TypedBox<Selected>?
  /// Whose data it was made of.
  private var selectedKey: EntryKey?
  /// Why there is none of the present data, and when that data came.
  private var failure: (error: ErrorBox, at: Timestamp)?

  @usableFromInline
  init(transform: @escaping @Sendable (Value) throws -> Selected) {
    self.transform = transform
  }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: It, over the selection of its data.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Selected>? {
    guard let data = result.frame.data else {
      // What the key showed before a reset must not come back beside an error. What it was made of
      // may: one box stands in each time that data is missing.
      if result.frame.key == selectedKey {
        selected = nil
        source = nil
      }
      return QueryResult<Selected>(frame: result.frame, flags: result.flags)
    }
    if data !== source {
      source = data
      do {
        selected = TypedBox(try transform(data.value(as: Value.self)))
        selectedKey = result.frame.key
        failure = nil
      } catch {
        // Never another key's, and never what was made of a stand-in: that is no data.
        if result.frame.key != selectedKey || result.isPlaceholderData { selected = nil }
        failure = (ErrorBox(error), result.frame.dataUpdatedAt)
      }
    }
    guard let failure else { return result.replacing(data: selected) }
    let frame = Frame(
      result.frame,
      data: selected,
      error: failure.error,
      errorUpdatedAt: failure.at
    )
    // Of a stand-in nothing is shown.
    return QueryResult<Selected>(frame: frame, flags: result.flags.subtracting(.placeholder))
  }
}
