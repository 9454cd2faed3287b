import Synchronization

/// The number that a consumer saw last.
final class LastCount: Sendable {
  private let last = Mutex<Int?>(nil)

  /// Notes a number and says whether it is another one.
  func changed(to count: Int) -> Bool {
    last.withLock { last in
      defer { last = count }
      return last != count
    }
  }
}
