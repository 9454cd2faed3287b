public import StreamQuery

extension AsyncSequence {
  /// Shows a part of the data, or a value derived from it; the rest of the result does not change.
  ///
  /// The cache keeps the whole value. The closure runs once for each new data, and its value is
  /// kept until then. Equal selections are not dropped: `removeDuplicates()` does that.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  /// ```
  ///
  /// If the closure throws, this stream alone shows a failure: `error` is the closure's error, and
  /// `data` the last selection of the same key that succeeded, if any. The next data that can be
  /// selected clears the error. A key that lost its data, for example by a reset, has no last
  /// selection. If the closure throws for a placeholder, there is no data.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data and its selection are kept.
  ///
  /// - Parameter transform: Makes the selection. Runs on the consumer's actor, once for each new
  ///   data.
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
  /// The key of the data from which the last selection was made.
  private var selectedKey: EntryKey?
  /// The error with which the selection of the present data failed, and the date of that data.
  private var failure: (error: ErrorBox, at: Timestamp)?

  /// Creates a step without history, for code that has results without a sequence.
  ///
  /// - Parameter transform: Makes the selection.
  public init(transform: @escaping @Sendable (Value) throws -> Selected) {
    self.transform = transform
  }

  /// Forgets earlier data and selections.
  public mutating func forget() { self = Self(transform: transform) }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, with the selection of its data.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Selected>? {
    guard let data = result.snapshot.data else {
      // After a reset, the old selection must not come back beside an error. The selection of a
      // placeholder may, because it has the same box each time.
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
        // The selection of a placeholder is no data, and does not stay beside an error.
        selectedKey = result.isPlaceholderData ? nil : result.snapshot.key
        failure = nil
      } catch {
        // The last selection stays, unless it belongs to another key or to a placeholder.
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
