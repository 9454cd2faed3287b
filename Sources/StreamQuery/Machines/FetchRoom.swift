/// Decides which fetches run while only so many may at a time, and which of the others is next.
///
/// Those that wait are in one line for each ``FetchUrgency``. How urgent a fetch is may change while it
/// waits. If it grows, the fetch joins the end of a better line, and its former place is void. If it
/// shrinks, the fetch finds its line when its turn comes: nobody looks at it before.
///
/// What a running fetch waits for is its guest: it runs at once, in the room of the one that waits.
///
/// Each call is O(1), amortised.
struct FetchRoom<Fetch: Hashable & Sendable>: Sendable {
  /// A line, from which the first ones are taken again and again.
  private struct Line: Sendable {
    var fetches: [Fetch] = []
    var front = 0

    mutating func next() -> Fetch? {
      guard front < fetches.count else { return nil }
      defer { front += 1 }
      return fetches[front]
    }

    /// Removes void places; a fetch that has several keeps the first.
    mutating func keep(where isValid: (Fetch) -> Bool) {
      var seen: Set<Fetch> = []
      fetches = fetches[front...].filter { isValid($0) && seen.insert($0).inserted }
      front = 0
    }
  }

  /// How many may run at a time.
  let limit: Int
  private var running: Set<Fetch> = []
  private var guests: Set<Fetch> = []
  private var lines = FetchUrgency.allCases.map { _ in Line() }
  /// The line of each fetch that waits.
  private var waiting: [Fetch: FetchUrgency] = [:]

  /// Creates empty room.
  ///
  /// - Parameter limit: How many fetches may run at a time; less than one counts as one.
  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Whether a fetch waits that may run.
  var hasNext: Bool { running.count < limit && !waiting.isEmpty }

  /// How many fetches wait: for tests.
  var waitingCount: Int { waiting.count }

  /// How many places the lines have, void ones included.
  var placeCount: Int { lines.reduce(0) { $0 + $1.fetches.count } }

  /// A fetch wants to run; it does not while others wait, who may be more urgent.
  ///
  /// - Parameters:
  ///   - fetch: The fetch.
  ///   - urgency: How soon it should.
  /// - Returns: Whether it runs now; if not, it waits.
  mutating func enter(_ fetch: Fetch, _ urgency: FetchUrgency) -> Bool {
    if running.contains(fetch) || guests.contains(fetch) { return true }
    guard running.count < limit, waiting.isEmpty else {
      wait(fetch, urgency)
      return false
    }
    running.insert(fetch)
    return true
  }

  /// A running fetch waits for another one, which is its guest until ``guestLeft(_:)``.
  ///
  /// - Returns: Whether the other one has waited and runs now.
  mutating func admit(_ guest: Fetch) -> Bool {
    guard !running.contains(guest) else { return false }
    guests.insert(guest)
    return waiting.removeValue(forKey: guest) != nil
  }

  /// A fetch is over: another one of the same name is no guest.
  mutating func guestLeft(_ fetch: Fetch) { guests.remove(fetch) }

  /// A fetch does not run any more, or no longer wants to; a second time is a no-op.
  mutating func leave(_ fetch: Fetch) {
    if running.remove(fetch) == nil { waiting[fetch] = nil }
  }

  /// A fetch that waits may be more urgent than before.
  mutating func raise(_ fetch: Fetch, to urgency: FetchUrgency) {
    if let present = waiting[fetch], present < urgency { wait(fetch, urgency) }
  }

  /// Lets the most urgent fetch run, if there is room: of those alike, the one that waits longest.
  ///
  /// - Parameter urgency: How urgent a fetch is now; `nil` if it is gone.
  /// - Returns: The fetch; `nil` if there is no room, or none waits.
  mutating func next(urgency: (Fetch) -> FetchUrgency?) -> Fetch? {
    guard hasNext else { return nil }
    for line in FetchUrgency.allCases.reversed() {
      while let fetch = lines[line.rawValue].next() {
        // It has joined a better line since, or left.
        guard waiting[fetch] == line else { continue }
        guard let present = urgency(fetch) else {
          waiting[fetch] = nil
          continue
        }
        guard present >= line else {
          wait(fetch, present)
          continue
        }
        waiting[fetch] = nil
        running.insert(fetch)
        return fetch
      }
    }
    return nil
  }

  private mutating func wait(_ fetch: Fetch, _ urgency: FetchUrgency) {
    waiting[fetch] = urgency
    lines[urgency.rawValue].fetches.append(fetch)
    // Those that leave before their turn leave a void place, and nobody may have a turn for long.
    guard placeCount > 2 * waiting.count + 64 else { return }
    for line in FetchUrgency.allCases {
      lines[line.rawValue].keep { waiting[$0] == line }
    }
  }
}

/// How soon a fetch should run where only so many may, from the least.
enum FetchUrgency: Int, CaseIterable, Comparable, Sendable {
  case background, low, medium, high

  /// The urgency of what somebody waits for.
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
