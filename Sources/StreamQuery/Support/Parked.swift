/// A consumer's wait for news.
enum Parked: Sendable {
  /// It waits for one entry.
  case alone(UnsafeContinuation<Void, Never>)
  /// It waits for any of several entries, and is parked with each.
  case jointly(JointWait)

  /// Wakes the consumer.
  ///
  /// Never called under a lock.
  func wake() {
    switch self {
    case .alone(let continuation): continuation.resume()
    case .jointly(let wait): wait.wake()
    }
  }

  /// Whether somebody has to wake the consumer who does not yet: one wake-up is enough for one wait.
  ///
  /// - Returns: `true` once.
  @inline(__always)
  func claim() -> Bool {
    if case .jointly(let wait) = self { wait.claim() } else { true }
  }

  /// Whether the wait is over already, by another entry's news.
  var isSpent: Bool {
    if case .jointly(let wait) = self { wait.isSpent } else { false }
  }
}
