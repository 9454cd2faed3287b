/// Names a consumer; the identifier of one that left names nothing.
struct ConsumerID: Hashable, Sendable {
  var index: Int32
  /// Unique to the consumer.
  var generation: UInt32
}
