/// The order in which stale entries are refreshed if time may be short: first entries that have long been
/// stale and are used often.
struct RefreshPlan: Sendable {
  /// The version of an entry's data; it changes whenever data arrives.
  struct DataVersion: Hashable, Sendable {
    let entry: EntryID
    let count: Int
    let updatedAt: Instant?
  }

  /// A stale entry, with the data that its place in the order depends on.
  struct Candidate: Sendable {
    let key: EntryKey
    let definition: QueryDefinition
    /// For how long the data has been stale; `nil` without data.
    var overdue: TimeSpan?
    /// The version of the stale data; `nil` without data.
    var version: DataVersion?
    /// The number of recent uses of the entry.
    var uses = 0
    var isObserved = false

    /// The time for which the data has been stale, multiplied by the uses.
    ///
    /// More than one day of staleness counts as one day. An observed entry has the highest number of uses.
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

  /// - Parameter candidates: The stale entries; entries of equal weight keep this order.
  init(_ candidates: [Candidate]) {
    let weighed = candidates.enumerated().map { (index: $0, weight: $1.weight, candidate: $1) }
    self.candidates =
      weighed.sorted { $0.weight == $1.weight ? $0.index < $1.index : $0.weight > $1.weight }
      .map(\.candidate)
    outcomes = Array(repeating: .remaining, count: candidates.count)
  }

  var count: Int { candidates.count }

  /// The next entry to refresh, and its position in the plan.
  mutating func next() -> (index: Int, candidate: Candidate)? {
    guard begun < candidates.count else { return nil }
    defer { begun += 1 }
    return (begun, candidates[begun])
  }

  mutating func fetchEnded(_ index: Int, _ outcome: Outcome) { outcomes[index] = outcome }

  /// The result so far.
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

/// The result of ``QueryClient/refetchStale(_:within:)-(QueryFilter,_)``; each list is in the order in which
/// entries were chosen.
public struct QueryRefresh: Hashable, Sendable {
  /// The entries that were refreshed.
  public var refreshed: [AnyQueryKey] = []
  /// The entries whose fetch failed.
  public var failed: [AnyQueryKey] = []
  /// The entries that are still stale: there was no time for them, their fetch was cancelled, or they were
  /// removed.
  public var remaining: [AnyQueryKey] = []

  /// Creates an empty result.
  public init() {}
}
