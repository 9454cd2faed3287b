/// How soon a fetch should run where only so many may, from the least.
enum FetchUrgency: Int, CaseIterable, Comparable, Sendable {
  case background, low, medium, high

  /// The urgency of what somebody waits for.
  ///
  /// - Parameter priority: The priority of the code that waits.
  init(_ priority: WorkPriority) {
    self =
      if priority >= WorkPriority(.high) {
        .high
      } else if !priority.isLow {
        .medium
      } else {
        priority >= WorkPriority(.low) ? .low : .background
      }
  }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
