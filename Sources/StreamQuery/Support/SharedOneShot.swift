import Synchronization

/// A ``OneShot`` that several share.
package final class SharedOneShot<Value: Sendable>: Sendable {
  private let shot = OneShot<Value>()
  private let isClaimed = Atomic(false)

  package init() {}

  var isSettled: Bool { shot.isSettled }

  /// Whether nobody has undertaken to give the value yet.
  func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

  package func give(_ value: Value) { shot.give(value) }

  package func close() { shot.close() }

  package func take(whenSuspended: () -> Void = {}) async -> Value? {
    await shot.take(whenSuspended: whenSuspended)
  }
}
