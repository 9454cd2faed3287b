/// Runs in the order in which they were started.
///
/// Most leave at the front, where retention ends first, or at the end, where the newest is cancelled.
struct MutationLine: Equatable, Sendable {
  private enum Places: Equatable, Sendable {
    /// The most frequent case: the only run of a mutation with its own key. It needs no array.
    case one(MutationID)
    /// The elements before `front` are gone, so leaving at the front costs nothing.
    case many([MutationID], front: Int)
  }

  private var places = Places.many([], front: 0)

  /// The number of runs.
  var runs: ArraySlice<MutationID> {
    switch places {
    case .one(let run): [run]
    case .many(let runs, let front): runs[front...]
    }
  }

  /// The run at the front.
  var first: MutationID? {
    switch places {
    case .one(let run): run
    case .many(let runs, let front): front < runs.count ? runs[front] : nil
    }
  }

  /// The newest run.
  var last: MutationID? {
    switch places {
    case .one(let run): run
    case .many(let runs, let front): front < runs.count ? runs[runs.count - 1] : nil
    }
  }

  /// Appends a run that is newer than all others.
  mutating func append(_ run: MutationID) {
    switch places {
    case .one(let first): places = .many([first, run], front: 0)
    case .many(let runs, front: _) where runs.isEmpty: places = .one(run)
    case .many: change { runs, _ in runs.append(run) }
    }
  }

  /// Removes a run, wherever it stands; does nothing if it is not in the line.
  ///
  /// - Complexity: O(1) at either end, otherwise O(*n*) in the number of newer runs.
  mutating func remove(_ run: MutationID) {
    guard case .many = places else {
      if first == run { places = .many([], front: 0) }
      return
    }
    change { runs, front in
      if front < runs.count, runs[front] == run {
        front += 1
        // The room of removed runs is released now and then, at an amortized constant cost for
        // each.
        guard front > 16, front * 2 > runs.count else { return }
        runs.removeFirst(front)
        front = 0
      } else if let position = Self.position(of: run, in: runs[front...]) {
        runs.remove(at: position)
      }
    }
  }

  /// Changes the array in place: it is taken out first, so that it has no other reference.
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
