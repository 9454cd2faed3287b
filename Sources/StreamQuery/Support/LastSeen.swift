import Synchronization

/// What an observer saw last.
final class LastSeen<Value: Equatable & Sendable>: Sendable {
  private let last = Mutex<Value?>(nil)

  func changed(to value: Value) -> Bool {
    last.withLock { last in
      guard last != value else { return false }
      last = value
      return true
    }
  }
}
