/// Runs in the order of their start.
///
/// Most leave at the front, where retention ends first, or at the end, where the newest is cancelled.
struct MutationLine: Equatable, Sendable {
  private enum Places: Equatable, Sendable {
    /// The most frequent line, of a mutation with a key of its own: it needs no array.
    case one(MutationID)
    /// Those before `front` are gone: leaving at the front costs nothing.
    case many([MutationID], front: Int)
  }

  private var places = Places.many([], front: 0)

  /// Those that are there.
  var runs: ArraySlice<MutationID> {
    switch places {
    case .one(let run): [run]
    case .many(let runs, let front): runs[front...]
    }
  }

  /// The one at the front.
  var first: MutationID? {
    switch places {
    case .one(let run): run
    case .many(let runs, let front): front < runs.count ? runs[front] : nil
    }
  }

  /// The newest one.
  var last: MutationID? {
    switch places {
    case .one(let run): run
    case .many(let runs, let front): front < runs.count ? runs[runs.count - 1] : nil
    }
  }

  /// Adds a run that is newer than all others.
  mutating func append(_ run: MutationID) {
    switch places {
    case .one(let first): places = .many([first, run], front: 0)
    case .many(let runs, front: _) where runs.isEmpty: places = .one(run)
    case .many: change { runs, _ in runs.append(run) }
    }
  }

  /// Takes a run out, wherever it stands; nothing happens if it is not there.
  ///
  /// - Complexity: O(1) at either end, else O(*n*) in the number of newer runs.
  mutating func remove(_ run: MutationID) {
    guard case .many = places else {
      if first == run { places = .many([], front: 0) }
      return
    }
    change { runs, front in
      if front < runs.count, runs[front] == run {
        front += 1
        // The room of those that left is given back now and then, so that each pays a constant.
        guard front > 16, front * 2 > runs.count else { return }
        runs.removeFirst(front)
        front = 0
      } else if let position = Self.position(of: run, in: runs[front...]) {
        runs.remove(at: position)
      }
    }
  }

  /// Changes the array in place: it is taken out, so that nobody else holds it.
  private mutating func change(_ body: (inout [MutationID], inout Int) -> Void) {
    guard case .many(var runs, var front) = places else { return }
    places = .many([], front: 0)
    body(&runs, &front)
    places = .many(runs, front: front)
  }

  /// Runs are numbered in the order of their start.
  private static func position(of run: MutationID, in runs: ArraySlice<MutationID>) -> Int? {
    var (low, high) = (runs.startIndex, runs.endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if runs[middle] < run { low = middle + 1 } else { high = middle }
    }
    return low < runs.endIndex && runs[low] == run ? low : nil
  }
}
