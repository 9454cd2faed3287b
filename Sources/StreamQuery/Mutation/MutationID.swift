/// Identifies a run of a mutation; runs are numbered in the order in which they were started.
package struct MutationID: Hashable, Comparable, Sendable {
  /// The index of the run's slot.
  package var index: Int32
  /// The run's number among all runs of the client; never reused.
  package var serial: UInt64

  /// Creates an identifier.
  ///
  /// - Parameters:
  ///   - index: The index of the run's slot.
  ///   - serial: The run's number.
  package init(index: Int32, serial: UInt64) {
    self.index = index
    self.serial = serial
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.serial < rhs.serial
  }
}
