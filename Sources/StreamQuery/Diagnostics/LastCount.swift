import Synchronization

/// The number that an observer saw last.
final class LastCount: Sendable {
  private let last = Mutex<Int?>(nil)

  /// Stores a number and returns whether it differs from the last one.
  func changed(to count: Int) -> Bool {
    last.withLock { last in
      defer { last = count }
      return last != count
    }
  }
}
