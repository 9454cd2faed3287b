import Synchronization

/// The last value that a stream showed, for leaving out equal values.
final class LastValue<Value: Equatable & Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// Takes a value; comparing and releasing run user code, so both happen outside the lock.
  ///
  /// - Parameter new: The value.
  /// - Returns: Whether it differs from the one before.
  func replace(with new: Value) -> Bool {
    let old = value.withLock { $0 }
    guard old != new else { return false }
    let dropped = value.withLock { present in
      let dropped = present
      present = new
      return dropped
    }
    _ = dropped
    return true
  }
}
