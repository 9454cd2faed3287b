/// A point on a client's own time line, in nanoseconds since the client started.
///
/// Machines compare and add instants; they never read a clock. The range of 0…100 years added to
/// any instant of the same range fits in 64 bits, so no arithmetic here can trap.
package struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the client started; negative for data that is older than the client.
  package var nanoseconds: Int64

  /// Creates an instant.
  ///
  /// - Parameter nanoseconds: Nanoseconds since the client started.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The instant at which the client started.
  package static let zero = Instant(nanoseconds: 0)

  /// Before everything: the time of events that never happened.
  package static let distantPast = Instant(nanoseconds: -TimeSpan.longest.nanoseconds)

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }

  /// The instant a span after another, or `nil` if that is never.
  package static func + (lhs: Self, rhs: TimeSpan) -> Instant? {
    guard !rhs.isInfinite else { return nil }
    let (sum, overflow) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
    return overflow ? nil : Instant(nanoseconds: sum)
  }
}
