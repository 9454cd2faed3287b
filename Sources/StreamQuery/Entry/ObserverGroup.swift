/// Observers of one entry with equal profiles.
struct ObserverGroup: Equatable, Sendable {
  var profile: ObserverProfile
  var count = 0
  /// When polling observers started, unless a fetch has set the rhythm since; in order.
  var bases: [Moment] = []

  /// When the group started polling: observers without their own base follow the last beat.
  func base(after lastBeat: Moment) -> Moment {
    bases.count < count ? lastBeat : bases.first ?? lastBeat
  }

  /// Adds a base, in order; most are added at the end.
  mutating func insert(_ base: Moment) {
    let position = bases.last.map { $0 <= base } ?? true ? bases.count : position(after: base)
    bases.insert(base, at: position)
  }

  /// Removes one base of this time; there is none if its observer follows the last beat.
  mutating func remove(_ base: Moment) {
    let position = position(after: base) - 1
    if position >= 0, bases[position] == base { bases.remove(at: position) }
  }

  private func position(after base: Moment) -> Int {
    var low = 0
    var high = bases.count
    while low < high {
      let middle = low + (high - low) / 2
      if bases[middle] <= base { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
