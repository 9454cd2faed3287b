import Synchronization

/// Carries a value that is not Sendable into the one task that takes it.
final class SendOnce<Value>: @unchecked Sendable {
  // Unchecked: the value came as `sending`, so no one else can reach it, and `take` gives it away
  // once. `Mutex` alone cannot express this, since it does not let a value out again as `sending`.
  private var value: Value?
  private let isTaken = Atomic(false)

  init(_ value: sending Value) {
    self.value = value
  }

  /// The value, for the first caller only.
  func take() -> Value? {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    defer { value = nil }
    return value
  }
}
