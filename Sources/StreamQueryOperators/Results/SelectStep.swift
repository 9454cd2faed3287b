public import StreamQuery

extension AsyncSequence {
  /// Shows a part of the data, or a value derived from it, in place of the data.
  ///
  /// The cache has the whole value. The closure runs once for each new data. Equal selections are not
  /// omitted: `removeDuplicates()` does that.
  ///
  /// ```swift
  /// client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  /// ```
  ///
  /// If the closure throws, only this stream shows a failure: `error` is the closure's error, and `data` is
  /// the last successful selection of the same key, if there is one. The next data for which the closure
  /// succeeds clears the error. After a key has lost its data, for example by a reset, it has no last
  /// selection. If the closure throws for a placeholder, there is no data.
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. The last data and its selection are stored.
  ///
  /// - Parameter transform: Makes the selection; runs on the consumer's actor, once for each new data.
  /// - Returns: Results with the selection as their data.
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
  /// The data for which the closure ran last.
  private var source: ValueBox?
  /// The last selection that was made without an error.
  private var selected: TypedBox<Selected>?
  /// The key of the data from which `selected` was made; `nil` for a placeholder.
  private var selectedKey: EntryKey?
  /// The error that the closure threw for the present data, and the date of that data.
  private var failure: (error: ErrorBox, at: Timestamp)?

  /// Creates a step that has seen no result, for code that has results without a sequence.
  ///
  /// - Parameter transform: Makes the selection.
  public init(transform: @escaping @Sendable (Value) throws -> Selected) {
    self.transform = transform
  }

  /// Forgets earlier data and selections, so that the step is as new.
  public mutating func forget() { self = Self(transform: transform) }

  /// Takes the next result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result, with the selection of its data.
  public mutating func take(_ result: QueryResult<Value>) -> QueryResult<Selected>? {
    guard let data = result.snapshot.data else {
      // The key was reset: its old selection must not be shown beside a later error. The selection of a
      // placeholder is stored, because the placeholder has the same box each time.
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
        // A placeholder's selection gets no key, because the selection must not be shown beside a later
        // error.
        selectedKey = result.isPlaceholderData ? nil : result.snapshot.key
        failure = nil
      } catch {
        // The last selection is shown beside the error, unless it belongs to another key or to a placeholder.
        if result.snapshot.key != selectedKey || result.isPlaceholderData { selected = nil }
        failure = (ErrorBox(error), result.snapshot.dataUpdatedAt)
      }
    }
    guard let failure else { return result.replacing(data: selected) }
    // `keepPreviousData()` may show data of another key, for which the closure has thrown, as a placeholder.
    let isOwn = result.snapshot.key == selectedKey && !result.isPlaceholderData
    let snapshot = EntrySnapshot(
      result.snapshot,
      data: isOwn ? selected : nil,
      error: failure.error,
      errorUpdatedAt: failure.at
    )
    // A placeholder is not shown if the closure throws for it.
    return QueryResult<Selected>(snapshot: snapshot, flags: result.flags.subtracting(.placeholder))
  }
}
