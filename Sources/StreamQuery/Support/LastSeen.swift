import Synchronization

/// What an observer saw last, for leaving out equal values.
package final class LastSeen<Value: Equatable & Sendable>: Sendable {
  private let last = Mutex<Value?>(nil)

  package init() {}

  /// Takes a value; comparing and releasing may run user code, so both happen outside the lock.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether it differs from the one before.
  package func changed(to value: Value) -> Bool {
    guard last.withLock({ $0 }) != value else { return false }
    // Returned, so that it is released outside the lock.
    _ = last.withLock { last in
      defer { last = value }
      return last
    }
    return true
  }
}
