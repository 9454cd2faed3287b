/// Decides which tick of an interval comes next, and at which time.
///
/// The time of a tick is its number multiplied by the period, so that a late tick does not move the
/// next one.
struct Ticks: Equatable, Sendable {
  struct Tick: Equatable, Sendable {
    let number: Int
    /// The time since the start at which the tick is due; `nil` if it is due already.
    let due: Duration?
  }

  private let period: Duration
  /// The first tick that was not returned yet.
  ///
  /// The type is wider than `Int`, because there are many ticks if a tiny period lasts for a long
  /// time.
  private var number: Int128

  init(period: Duration, isImmediate: Bool) {
    self.period = period
    number = isImmediate ? 0 : 1
  }

  /// The next tick; `nil` if there is none.
  mutating func next(at now: Duration) -> Tick? {
    guard period > .zero else {
      guard number == 0 else { return nil }
      number = 1
      return Tick(number: 0, due: nil)
    }
    // The newest tick that is due, or else the next one.
    let newest = max(number, now.attoseconds / period.attoseconds)
    number = newest + 1
    let due = Duration(attoseconds: newest * period.attoseconds)
    return Tick(number: Int(clamping: newest), due: due > now ? due : nil)
  }
}
