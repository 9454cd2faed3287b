/// The identity of one upstream of an operator, so that machines hold no task and no iterator.
struct UpstreamID: Hashable, Comparable, Sendable {
  var rawValue: Int

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
