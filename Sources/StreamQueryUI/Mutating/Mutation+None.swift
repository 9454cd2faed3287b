internal import StreamQuery

extension Mutation {
  /// The mutation of a view that has not named one yet; it is never run.
  static var none: Self { Self(key: "StreamQueryUI.none") }
}
