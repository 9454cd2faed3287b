public import StreamQuery

extension AsyncSequence {
  /// Shows a part of the data, or a value derived from it; the rest of the result stays as it is.
  ///
  /// The cache keeps the whole value. The closure runs once per data: as long as the data stays the
  /// same, so does the selection.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  /// ```
  ///
  /// If the closure throws, this stream alone shows a failure: `error` is what it threw, and `data`
  /// the last selection of the same key that succeeded, if any. The next data that can be selected
  /// clears it. A key that lost its data, for example by a reset, has no last selection. If the
  /// closure throws for a placeholder, there is no data.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data and its selection are kept.
  ///
  /// - Parameter transform: Makes the selection. Runs on the consumer's actor, once per data.
  /// - Returns: Results of the selection.
  @inlinable
  public func select<Value, Selected: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Selected
  ) -> ResultSequence<Self, _SelectStep<Value, Selected>>
  where Element == QueryResult<Value> {
    ResultSequence(self, _SelectStep(transform: transform))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The step of `select(_:)`.
public struct _SelectStep<Value: Sendable, Selected: Sendable>: _ResultStep, Sendable {
  private let transform: @Sendable (Value) throws -> Selected
  /// The data of the last selection.
  private var source: ValueBox?
  /// The last selection that succeeded.
  private var selected: TypedBox<Selected>?
  /// The key of its data.
  private var selectedKey: EntryKey?
  /// Why the present data has no selection, and when that data came.
  private var failure: (error: ErrorBox, at: Timestamp)?

  /// Creates a step that has seen nothing, for code that has results without a sequence.
  ///
  /// - Parameter transform: Makes the selection.
  public init(transform: @escaping @Sendable (Value) throws -> Selected) {
    self.transform = transform
  }

  /// Forgets the data that it has seen, and their selections.
  public mutating func forget() { self = Self(transform: transform) }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, with the selection of its data.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Selected>? {
    guard let data = result.snapshot.data else {
      // After a reset, the old selection must not come back beside an error. A placeholder may: it
      // is the same box each time.
      if result.snapshot.key == selectedKey {
        selected = nil
        source = nil
      }
      return QueryResult<Selected>(snapshot: result.snapshot, flags: result.flags)
    }
    if data !== source {
      source = data
      do {
        selected = TypedBox(try transform(data.value(as: Value.self)))
        // What a placeholder shows is no data, and stays beside no error.
        selectedKey = result.isPlaceholderData ? nil : result.snapshot.key
        failure = nil
      } catch {
        // The last selection stays, but not another key's, and not that of a placeholder.
        if result.snapshot.key != selectedKey || result.isPlaceholderData { selected = nil }
        failure = (ErrorBox(error), result.snapshot.dataUpdatedAt)
      }
    }
    guard let failure else { return result.replacing(data: selected) }
    let snapshot = EntrySnapshot(
      result.snapshot,
      data: selected,
      error: failure.error,
      errorUpdatedAt: failure.at
    )
    // A placeholder that cannot be selected is not shown.
    return QueryResult<Selected>(snapshot: snapshot, flags: result.flags.subtracting(.placeholder))
  }
}
