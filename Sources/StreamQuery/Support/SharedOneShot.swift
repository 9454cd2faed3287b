import Synchronization

/// A ``OneShot`` that several share.
package final class SharedOneShot<Value: Sendable>: Sendable {
  private let shot = OneShot<Value>()
  private let isClaimed = Atomic(false)

  var isSettled: Bool { shot.isSettled }

  /// Whether nobody has undertaken to give the value yet.
  func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

  func give(_ value: Value) { shot.give(value) }

  func close() { shot.close() }

  func take(whenSuspended: () -> Void = {}) async -> Value? {
    await shot.take(whenSuspended: whenSuspended)
  }
}
