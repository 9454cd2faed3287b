import Synchronization

/// Ends a subscription once: on cancellation, or when the last reference to its stream is dropped.
final class BroadcasterSubscription: Sendable {
  private let onEnd: @Sendable () -> Void
  private let isEnded = Atomic(false)

  init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  deinit {
    finish()
  }

  private func finish() {
    if !isEnded.exchange(true, ordering: .acquiringAndReleasing) { onEnd() }
  }

  func end() {
    holding(self) { finish() }
  }
}
