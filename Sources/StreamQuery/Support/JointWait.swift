import Synchronization

/// One wait that is suspended with several entries: the first news ends it.
final class JointWait: Sendable {
  private let continuation: Mutex<UnsafeContinuation<Void, Never>?>
  private let isClaimed = Atomic(false)

  init(_ continuation: UnsafeContinuation<Void, Never>) {
    self.continuation = Mutex(continuation)
  }

  var isSpent: Bool { continuation.withLock { $0 == nil } }

  /// Whether nobody has claimed the wake-up yet.
  func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

  func wake() {
    continuation.withLock { $0.take() }?.resume()
  }
}
