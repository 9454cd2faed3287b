/// Names a consumer; an identifier of one that left names nothing.
struct ConsumerID: Hashable, Sendable {
  var index: Int32
  /// The consumer's own.
  var generation: UInt32
}
