/// Names a run of a mutation; runs are numbered in the order in which they were started.
package struct MutationID: Hashable, Comparable, Sendable {
  /// Where the run lies.
  package var index: Int32
  /// Its number among all runs of the client, never used again.
  package var serial: UInt64

  /// Creates an identifier.
  ///
  /// - Parameters:
  ///   - index: Where the run lies.
  ///   - serial: Its number.
  package init(index: Int32, serial: UInt64) {
    self.index = index
    self.serial = serial
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.serial < rhs.serial
  }
}
