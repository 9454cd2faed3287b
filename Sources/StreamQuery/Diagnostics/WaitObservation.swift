import Synchronization

/// Whether anybody may want to hear of waits.
package enum WaitObservation {
  /// Off in every process without a simulation: there, checking this flag is the only cost of a
  /// wait.
  private static let isOn = Atomic(false)

  /// From now on waits are reported.
  package static func begin() {
    isOn.store(true, ordering: .relaxed)
  }

  @inline(__always)
  static var hasBegun: Bool { isOn.load(ordering: .relaxed) }
}
