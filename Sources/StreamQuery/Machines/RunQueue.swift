/// Runs in the order in which they were started: those of a scope, of a mutation, or all.
///
/// Most runs leave at the front, where retention ends first, or at the end, where the newest is cancelled.
struct RunQueue: RandomAccessCollection, Sendable {
  /// The first run; kept apart, because most queues have only one and so need no array.
  private var head: MutationID?
  private var rest: [MutationID] = []
  /// The index of the first run in `rest` that is still there: removing at the front only moves the index.
  private var front = 0

  var startIndex: Int { 0 }

  var endIndex: Int { head == nil ? 0 : rest.count - front + 1 }

  subscript(position: Int) -> MutationID {
    if position == 0, let head { head } else { rest[front + position - 1] }
  }

  /// Appends a run that is newer than all others.
  mutating func append(_ run: MutationID) {
    if head == nil { head = run } else { rest.append(run) }
  }

  /// Inserts a run before all newer ones.
  ///
  /// The first run may be newer than others, because of an earlier call with `keepsFirst`. It stays first
  /// unless the inserted run is the oldest of all.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - keepsFirst: Whether the first run stays first even if it is newer.
  /// - Complexity: O(*n*) in the number of newer runs.
  mutating func insert(_ run: MutationID, keepsFirst: Bool = false) {
    guard let head else { return head = run }
    let isOldest = run < head && (front == rest.count || run < rest[front])
    if isOldest, !keepsFirst {
      self.head = run
      rest.insert(head, at: lowerBound(of: head))
    } else {
      rest.insert(run, at: lowerBound(of: run))
    }
  }

  /// Removes a run, wherever it stands; does nothing if it is not in the queue.
  ///
  /// - Complexity: O(1) at either end, otherwise O(*n*) in the number of newer runs.
  mutating func remove(_ run: MutationID) {
    guard head == run else {
      if let position = index(of: run) { rest.remove(at: position) }
      return
    }
    guard front < rest.count else { return self = RunQueue() }
    head = rest[front]
    front += 1
    // The array is shortened only when more than half of it is unused, so that each removal costs a
    // constant time on average.
    guard front > 16, front * 2 > rest.count else { return }
    rest.removeFirst(front)
    front = 0
  }

  /// The position of a run, which is searched by its number: runs are numbered in the order of
  /// their start.
  private func index(of run: MutationID) -> Int? {
    let low = lowerBound(of: run)
    return low < rest.count && rest[low] == run ? low : nil
  }

  private func lowerBound(of run: MutationID) -> Int {
    var (low, high) = (front, rest.count)
    while low < high {
      let middle = low + (high - low) / 2
      if rest[middle] < run { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The queues of scopes, by their names; only the first run of each may perform.
///
/// A scope exists for as long as it has a run.
extension [String: RunQueue] {
  /// Appends a run to a scope.
  ///
  /// - Parameters:
  ///   - run: A run that is in no scope yet.
  ///   - scope: The scope; without one, every run is first.
  /// - Returns: Whether the run is the first of the scope.
  mutating func join(_ run: MutationID, _ scope: String?) -> Bool {
    guard let scope else { return true }
    self[scope, default: RunQueue()].append(run)
    return self[scope]?.first == run
  }

  /// Removes a run from its scope, wherever it stands.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - scope: Its scope.
  /// - Returns: The run that is first now, if the removed run was the first.
  mutating func leave(_ run: MutationID, _ scope: String?) -> MutationID? {
    guard let scope, let position = index(forKey: scope) else { return nil }
    let wasFirst = values[position].first == run
    values[position].remove(run)
    if let first = values[position].first { return wasFirst ? first : nil }
    remove(at: position)
    return nil
  }
}
