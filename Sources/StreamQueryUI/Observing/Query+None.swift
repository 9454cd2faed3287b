internal import StreamQuery

extension Query {
  /// Stands for the query of a view that has not said yet what it wants; it is never observed.
  static var none: Self { Self(key: "StreamQueryUI.none") }
}
