internal import StreamQuery

extension QueryResult {
  /// The same result over other data of another type.
  func replacing<Other: Sendable>(data: TypedBox<Other>?) -> QueryResult<Other> {
    QueryResult<Other>(
      snapshot: EntrySnapshot(snapshot, data: data, error: snapshot.error),
      flags: flags
    )
  }

  /// The same result over a placeholder of its own type.
  func standingIn(_ box: ValueBox?) -> Self {
    Self(snapshot: EntrySnapshot(snapshot, data: box, error: nil), flags: flags.union(.placeholder))
  }

  /// Whether there is data other than a placeholder.
  var hasRealData: Bool { snapshot.data != nil && !isPlaceholderData }
}
