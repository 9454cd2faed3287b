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
    case refreshed, failed, remaining
  }

  private let candidates: [Candidate]
  private var outcomes: [Outcome]
  private var begun = 0

  /// - Parameter candidates: What is stale; of equals, the first comes first.
  init(_ candidates: [Candidate]) {
    let weighed = candidates.enumerated().map { (place: $0, weight: $1.weight, candidate: $1) }
    self.candidates =
      weighed.sorted { $0.weight == $1.weight ? $0.place < $1.place : $0.weight > $1.weight }
      .map(\.candidate)
    outcomes = Array(repeating: .remaining, count: candidates.count)
  }

  var count: Int { candidates.count }

  /// The next entry to refresh, and its place.
  mutating func next() -> (place: Int, candidate: Candidate)? {
    guard begun < candidates.count else { return nil }
    defer { begun += 1 }
    return (begun, candidates[begun])
  }

  mutating func ended(_ place: Int, _ outcome: Outcome) { outcomes[place] = outcome }

  /// What came of it so far.
  var result: QueryRefresh {
    var result = QueryRefresh()
    for (candidate, outcome) in zip(candidates, outcomes) {
      switch outcome {
      case .refreshed: result.refreshed.append(candidate.key.key)
      case .failed: result.failed.append(candidate.key.key)
      case .remaining: result.remaining.append(candidate.key.key)
      }
    }
    return result
  }
}

/// What came of a ``QueryClient/refetchStale(_:within:)-(QueryFilter,_)``, each in the order in which entries were chosen.
public struct QueryRefresh: Hashable, Sendable {
  /// What is fresh now that was not.
  public var refreshed: [AnyQueryKey] = []
  /// What was fetched, and failed.
  public var failed: [AnyQueryKey] = []
  /// What is as stale as it was: there was no time for it, or somebody cancelled its fetch.
  public var remaining: [AnyQueryKey] = []

  /// Creates an empty result.
  public init() {}
}
