/// Chooses what is refreshed first where there may not be the time for all: what has been stale for long and is used
/// often.
struct RefreshPlan: Sendable {
  /// What changes whenever data arrives.
  struct DataVersion: Hashable, Sendable {
    let entry: EntryID
    let count: Int
    let updatedAt: Instant?
  }

  /// What is known of an entry.
  struct Candidate: Sendable {
    let key: EntryKey
    let definition: QueryDefinition
    /// For how long it has been stale; `nil` if there is no data.
    var overdue: TimeSpan?
    /// The data that is stale; `nil` if there is none.
    var version: DataVersion?
    /// How often it was used lately.
    var uses = 0
    var isObserved = false

    /// Staleness times use.
    ///
    /// What is stale for days is no more urgent than for one. What is on a screen is used as much as anything can be.
    var weight: Double {
      let seconds = Double((overdue ?? .infinite).nanoseconds) / 1e9
      let uses = uses + (isObserved ? Int(Popularity.most) : 0)
      return min(max(1, seconds), 86_400) * Double(1 + uses)
    }
  }

  enum Outcome: Sendable {
    case refreshed, failed, left
  }

  private let candidates: [Candidate]
  private var outcomes: [Outcome]
  private var begun = 0
  private var room: Int

  /// - Parameters:
  ///   - candidates: What is stale; of equals, the first comes first.
  ///   - room: How many attempts may run at a time.
  init(_ candidates: [Candidate], room: Int = .max) {
    self.room = room
    let weighed = candidates.enumerated().map { (place: $0, weight: $1.weight, candidate: $1) }
    self.candidates =
      weighed.sorted { $0.weight == $1.weight ? $0.place < $1.place : $0.weight > $1.weight }
      .map(\.candidate)
    outcomes = Array(repeating: .left, count: candidates.count)
  }

  var count: Int { candidates.count }

  /// The next entry to refresh, and its place; `nil` if there is none, or no room.
  mutating func next() -> (place: Int, candidate: Candidate)? {
    guard room > 0, begun < candidates.count else { return nil }
    room -= 1
    defer { begun += 1 }
    return (begun, candidates[begun])
  }

  /// A fetch that began has ended, or waits for something: there is room for the next one.
  mutating func rested() { room += 1 }

  mutating func ended(_ place: Int, _ outcome: Outcome) { outcomes[place] = outcome }

  /// What came of it so far.
  var result: QueryRefresh {
    var result = QueryRefresh()
    for (candidate, outcome) in zip(candidates, outcomes) {
      switch outcome {
      case .refreshed: result.refreshed.append(candidate.key.key)
      case .failed: result.failed.append(candidate.key.key)
      case .left: result.left.append(candidate.key.key)
      }
    }
    return result
  }
}
