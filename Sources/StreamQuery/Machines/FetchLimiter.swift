/// Limits how many fetches run at a time, and chooses the next one.
///
/// The other fetches wait in lines, one for each ``FetchUrgency``. The urgency may change during the wait. If
/// it grows, the fetch joins the end of the line of its new urgency, and its former place does not count any
/// more. If it shrinks, the fetch changes its line when it would be next.
///
/// A fetch for which a running fetch waits is exempt from the limit: it runs at once.
///
/// Each call is O(1), amortised.
struct FetchLimiter<Fetch: Hashable & Sendable>: Sendable {
  /// A line of fetches; reading the next one moves `front`.
  private struct Line: Sendable {
    var fetches: [Fetch] = []
    var front = 0

    mutating func next() -> Fetch? {
      guard front < fetches.count else { return nil }
      defer { front += 1 }
      return fetches[front]
    }

    /// Removes fetches that no longer wait in this line; if a fetch stands in the line several times,
    /// its first position stays.
    mutating func keep(where isValid: (Fetch) -> Bool) {
      var seen: Set<Fetch> = []
      fetches = fetches[front...].filter { isValid($0) && seen.insert($0).inserted }
      front = 0
    }
  }

  /// The number of fetches that may run at a time.
  let limit: Int
  private var running: Set<Fetch> = []
  private var exempted: Set<Fetch> = []
  private var lines = FetchUrgency.allCases.map { _ in Line() }
  /// The line of each fetch that waits.
  private var waiting: [Fetch: FetchUrgency] = [:]

  /// Creates a limiter.
  ///
  /// - Parameter limit: How many fetches may run at a time; less than one counts as one.
  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Whether a waiting fetch may run.
  var hasNext: Bool { running.count < limit && !waiting.isEmpty }

  /// The number of fetches that wait, for tests.
  var waitingCount: Int { waiting.count }
  /// The number of fetches that run within the limit.
  var runningCount: Int { running.count }

  /// The number of elements in the lines, including those of fetches that no longer wait there.
  var placeCount: Int { lines.reduce(0) { $0 + $1.fetches.count } }

  /// Whether a fetch waits in a line.
  func isWaiting(_ fetch: Fetch) -> Bool { waiting[fetch] != nil }

  /// Lets a fetch run, or puts it into a line.
  ///
  /// The fetch also waits if others wait, because they may be more urgent.
  ///
  /// - Parameters:
  ///   - fetch: The fetch.
  ///   - urgency: The urgency of the fetch.
  /// - Returns: Whether the fetch runs now; if not, it waits.
  mutating func acquire(_ fetch: Fetch, _ urgency: FetchUrgency) -> Bool {
    if running.contains(fetch) || exempted.contains(fetch) { return true }
    guard running.count < limit, waiting.isEmpty else {
      enqueue(fetch, urgency)
      return false
    }
    running.insert(fetch)
    return true
  }

  /// Exempts a fetch from the limit until ``exemptionEnded(_:)``, because a running fetch began to wait for
  /// it.
  ///
  /// - Returns: Whether the exempt fetch was waiting and runs now.
  mutating func exempt(_ fetch: Fetch) -> Bool {
    guard !running.contains(fetch) else { return false }
    exempted.insert(fetch)
    return waiting.removeValue(forKey: fetch) != nil
  }

  /// Ends the exemption of a fetch that has ended: the next fetch of the same entry is not exempt.
  mutating func exemptionEnded(_ fetch: Fetch) { exempted.remove(fetch) }

  /// Forgets a fetch that ended or gave up its wait; a second call does nothing.
  mutating func release(_ fetch: Fetch) {
    if running.remove(fetch) == nil { waiting[fetch] = nil }
  }

  /// Moves a waiting fetch to the line of a higher urgency; does nothing if the fetch is already as urgent.
  mutating func raise(_ fetch: Fetch, to urgency: FetchUrgency) {
    if let present = waiting[fetch], present < urgency { enqueue(fetch, urgency) }
  }

  /// Lets the most urgent fetch run if the limit allows one; among equals, the one that has waited longest.
  ///
  /// - Parameter urgency: Returns how urgent a fetch is now; `nil` if it is gone.
  /// - Returns: The fetch; `nil` if the limit is reached, or no fetch waits.
  mutating func next(urgency: (Fetch) -> FetchUrgency?) -> Fetch? {
    guard hasNext else { return nil }
    for line in FetchUrgency.allCases.reversed() {
      while let fetch = lines[line.rawValue].next() {
        // Skip a fetch that has joined another line meanwhile, or waits no longer.
        guard waiting[fetch] == line else { continue }
        guard let present = urgency(fetch) else {
          waiting[fetch] = nil
          continue
        }
        guard present >= line else {
          enqueue(fetch, present)
          continue
        }
        waiting[fetch] = nil
        running.insert(fetch)
        return fetch
      }
    }
    return nil
  }

  private mutating func enqueue(_ fetch: Fetch, _ urgency: FetchUrgency) {
    waiting[fetch] = urgency
    lines[urgency.rawValue].fetches.append(fetch)
    // Removes fetches that no longer wait, because it may take long until their line is read.
    guard placeCount > 2 * waiting.count + 64 else { return }
    for line in FetchUrgency.allCases {
      lines[line.rawValue].keep { waiting[$0] == line }
    }
  }
}

/// The urgency of a fetch under a limit; the least urgent case comes first.
enum FetchUrgency: Int, CaseIterable, Comparable, Sendable {
  case background, low, medium, high

  /// Makes the urgency of a fetch for which a caller waits.
  ///
  /// - Parameter priority: The priority of the code that waits.
  init(_ priority: WorkPriority) {
    self =
      if priority >= WorkPriority(.high) {
        .high
      } else if !priority.isLow {
        .medium
      } else {
        priority >= WorkPriority(.low) ? .low : .background
      }
  }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
