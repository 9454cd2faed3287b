/// Names an observer; the identifier of one that left names nothing.
struct ObserverID: Hashable, Sendable {
  var index: Int32
  /// Unique to the observer.
  var generation: UInt32
}
