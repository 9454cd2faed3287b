internal import Synchronization

/// The newest element of one of the sequences that `combineLatest` combines.
///
/// Every iterator has its own, and alone reads and writes them, so the lock never waits. A class, because
/// an element of a parameter pack cannot be assigned by itself.
final class LatestValue<Value: Sendable>: Sendable {
  /// The sequence has not produced an element yet.
  struct Missing: Error {}

  private let value = Mutex<Value?>(nil)

  func get() throws(Missing) -> Value {
    guard let value = value.withLock({ $0 }) else { throw Missing() }
    return value
  }

  func set(_ new: Value) {
    // The old value leaves the lock in this variable: releasing it is code of the user's.
    var new: Value? = new
    value.withLock { swap(&$0, &new) }
  }
}
