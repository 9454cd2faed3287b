internal import StreamQuery

extension QueryResult {
  /// The same result over other data of another type.
  func replacing<Other: Sendable>(data: TypedBox<Other>?) -> QueryResult<Other> {
    QueryResult<Other>(frame: Frame(frame, data: data, error: frame.error), flags: flags)
  }

  /// The same result over a stand-in of its own type.
  func standingIn(_ box: ValueBox?) -> Self {
    Self(frame: Frame(frame, data: box, error: nil), flags: flags.union(.placeholder))
  }

  /// Whether there is data that is more than a stand-in.
  var hasRealData: Bool { frame.data != nil && !isPlaceholderData }
}
