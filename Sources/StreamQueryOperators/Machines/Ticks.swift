/// Decides which tick of an interval comes next, and when.
///
/// A tick is due at its number multiplied by the period, so that a late tick does not delay the next one.
struct Ticks: Equatable, Sendable {
  struct Tick: Equatable, Sendable {
    let number: Int
    /// The time since the start at which the tick is due; `nil` if that time has passed.
    let due: Duration?
  }

  private let period: Duration
  /// The number of the first tick that was not returned yet.
  ///
  /// It is wider than `Int`, because a tiny period gives very many ticks in a long time.
  private var number: Int128

  init(period: Duration, isImmediate: Bool) {
    self.period = period
    number = isImmediate ? 0 : 1
  }

  /// Returns the next tick; `nil` if no tick is left.
  mutating func next(at now: Duration) -> Tick? {
    guard period > .zero else {
      guard number == 0 else { return nil }
      number = 1
      return Tick(number: 0, due: nil)
    }
    // The newest tick that is due, or else the next one that is not due yet.
    let newest = max(number, now.attoseconds / period.attoseconds)
    number = newest + 1
    let due = Duration(attoseconds: newest * period.attoseconds)
    return Tick(number: Int(clamping: newest), due: due > now ? due : nil)
  }
}
