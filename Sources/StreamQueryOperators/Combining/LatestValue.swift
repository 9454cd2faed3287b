internal import Synchronization

/// The newest element of one of the sequences that `combineLatest` combines.
///
/// Only one iterator reads and writes the value, so the lock never waits. This is a class, because a single
/// element of a parameter pack cannot be assigned.
final class LatestValue<Value: Sendable>: Sendable {
  /// The sequence has not produced an element yet.
  struct Missing: Error {}

  private let value = Mutex<Value?>(nil)

  func get() throws(Missing) -> Value {
    guard let value = value.withLock({ $0 }) else { throw Missing() }
    return value
  }

  func set(_ new: Value) {
    // The former value is released outside of the lock, as the value of this variable, because its release
    // may run user code.
    var new: Value? = new
    value.withLock { swap(&$0, &new) }
  }
}
