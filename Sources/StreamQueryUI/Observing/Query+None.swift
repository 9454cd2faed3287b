internal import StreamQuery

extension Query {
  /// The query of a view that has not named one yet; it is never observed.
  static var none: Self { Self(key: "StreamQueryUI.none") }
}
