/// Observers of one entry with equal resolved options.
struct ObserverGroup: Equatable, Sendable {
  var resolvedOptions: ResolvedObserverOptions
  var count = 0
  /// When polling observers started, unless a fetch has set the rhythm since; in order.
  var bases: [Instant] = []

  /// When the group started polling: observers without their own base follow the last tick.
  func base(after lastTick: Instant) -> Instant {
    bases.count < count ? lastTick : bases.first ?? lastTick
  }

  /// Adds a base, in order; most are added at the end.
  mutating func insert(_ base: Instant) {
    let position = bases.last.map { $0 <= base } ?? true ? bases.count : position(after: base)
    bases.insert(base, at: position)
  }

  /// Removes one base of this time; there is none if its observer follows the last tick.
  mutating func remove(_ base: Instant) {
    let position = position(after: base) - 1
    if position >= 0, bases[position] == base { bases.remove(at: position) }
  }

  private func position(after base: Instant) -> Int {
    var low = 0
    var high = bases.count
    while low < high {
      let middle = low + (high - low) / 2
      if bases[middle] <= base { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
