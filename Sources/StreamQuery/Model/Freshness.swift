/// A stale time as machines see it.
package enum Freshness: Hashable, Sendable {
  /// Stale when this old.
  case after(TimeSpan)
  /// Never stale once there is data.
  case `static`

  /// Whether data that is there is stale.
  ///
  /// - Parameters:
  ///   - updatedAt: When it was up to date.
  ///   - isInvalidated: Whether it was marked as invalidated since.
  ///   - now: The time of the decision.
  /// - Returns: Whether it is stale.
  @inline(__always)
  func isStale(updatedAt: Instant, isInvalidated: Bool, at now: Instant) -> Bool {
    switch self {
    case .static: return false
    case .after(let span):
      guard !isInvalidated else { return true }
      guard let flip = updatedAt + span else { return false }
      return now >= flip
    }
  }
}
