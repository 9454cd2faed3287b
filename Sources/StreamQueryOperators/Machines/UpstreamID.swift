/// The identity of an upstream of an operator, by which machines refer to it without its task.
struct UpstreamID: Hashable, Comparable, Sendable {
  var rawValue: Int

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
