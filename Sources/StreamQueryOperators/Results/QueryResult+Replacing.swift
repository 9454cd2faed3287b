internal import StreamQuery

extension QueryResult {
  /// Returns the same result with other data, of another type.
  func replacing<Other: Sendable>(data: TypedBox<Other>?) -> QueryResult<Other> {
    QueryResult<Other>(
      snapshot: EntrySnapshot(snapshot, data: data, error: snapshot.error),
      flags: flags
    )
  }

  /// Returns the same result with a placeholder as its data.
  func standingIn(_ box: ValueBox?) -> Self {
    Self(snapshot: EntrySnapshot(snapshot, data: box, error: nil), flags: flags.union(.placeholder))
  }

  /// Whether there is data other than a placeholder.
  var hasRealData: Bool { snapshot.data != nil && !isPlaceholderData }
}
