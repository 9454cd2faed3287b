/// Runs in the order of their start.
///
/// Most leave at the front, where retention ends first, or at the end, where the newest is cancelled.
struct MutationLine: Equatable, Sendable {
  private var places: [MutationID] = []
  /// Those before it are gone: leaving at the front costs nothing.
  private var front = 0

  /// Those that are there.
  var runs: ArraySlice<MutationID> { places[front...] }

  /// The one at the front.
  var first: MutationID? { front < places.count ? places[front] : nil }

  /// The newest one.
  var last: MutationID? { front < places.count ? places[places.count - 1] : nil }

  /// Adds a run that is newer than all others.
  mutating func append(_ run: MutationID) {
    places.append(run)
  }

  /// Takes a run out, wherever it stands; nothing happens if it is not there.
  ///
  /// - Complexity: O(1) at either end, else O(*n*) in the number of newer runs.
  mutating func remove(_ run: MutationID) {
    if first == run {
      front += 1
      // The room of those that left is given back now and then, so that each pays a constant.
      guard front > 16, front * 2 > places.count else { return }
      places.removeFirst(front)
      front = 0
    } else if let position = position(of: run) {
      places.remove(at: position)
    }
  }

  /// Runs are numbered in the order of their start.
  private func position(of run: MutationID) -> Int? {
    var low = front
    var high = places.count
    while low < high {
      let middle = low + (high - low) / 2
      if places[middle] < run { low = middle + 1 } else { high = middle }
    }
    return low < places.count && places[low] == run ? low : nil
  }
}
