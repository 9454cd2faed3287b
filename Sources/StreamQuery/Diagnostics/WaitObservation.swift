import Synchronization

/// Whether anybody may want to hear of waits.
package enum WaitObservation {
  /// Off in every process without a simulation: there a wait pays for one look at this.
  private static let isOn = Atomic(false)

  /// From now on waits are told of.
  package static func begin() {
    isOn.store(true, ordering: .relaxed)
  }

  @inline(__always)
  static var hasBegun: Bool { isOn.load(ordering: .relaxed) }
}
