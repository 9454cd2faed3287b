internal import StreamQuery

extension Mutation {
  /// Stands for the mutation of a view that has not said yet what it wants; it is never run.
  static var none: Self { Self(key: "StreamQueryUI.none") }
}
