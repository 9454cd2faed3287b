/// Finds the share of newcomers by trying: a step that raised the hit ratio is repeated, another one
/// is taken back.
///
/// A cache that keeps what is used often needs few newcomers; one whose users move on needs many.
/// The same cache may see both in one day.
struct WindowClimber: Sendable {
  private static let least = 0.01
  private static let most = 0.8
  private static let firstStep = 0.0625
  /// Steps become smaller, until users do something else.
  private static let decay = 0.95
  /// A change of the hit ratio that means that users do something else now.
  private static let restart = 0.05

  /// The share of kept entries that may be newcomers.
  private(set) var share = Self.least
  private var step = -Self.firstStep
  private var hits = 0
  private var misses = 0
  private var lastRatio = 0.0

  /// Something was used.
  ///
  /// - Parameters:
  ///   - isHit: Whether it was there.
  ///   - times: How often.
  ///   - period: After how many uses a step is judged.
  mutating func used(isHit: Bool, times: Int = 1, period: Int) {
    if isHit { hits += times } else { misses += times }
    guard hits + misses >= period else { return }
    let ratio = Double(hits) / Double(hits + misses)
    let change = ratio - lastRatio
    let direction = change >= 0 ? step : -step
    share = min(max(share + direction, Self.least), Self.most)
    step =
      abs(change) >= Self.restart
      ? (direction < 0 ? -Self.firstStep : Self.firstStep) : direction * Self.decay
    lastRatio = ratio
    (hits, misses) = (0, 0)
  }
}
