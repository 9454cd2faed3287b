internal import StreamQueryShared
internal import Synchronization

/// Counts the answers of calls.
final class LoadTally: Sendable {
  /// The counts; `nil` for answers that a case does not have.
  struct Counts: Sendable {
    /// The number of answers of the store.
    var hits: Int?
    /// The number of requests to upstream.
    var upstream: Int?
  }

  private let counts: Mutex<Counts>

  /// Creates a tally.
  ///
  /// - Parameter counts: The initial counts.
  init(_ counts: Counts = Counts(hits: 0, upstream: 0)) {
    self.counts = Mutex(counts)
  }

  /// Counts a request to upstream.
  func askedUpstream() { counts.withLock { $0.upstream = ($0.upstream ?? 0) + 1 } }

  /// Counts an event of a shared cache if the store has answered a fetch.
  func happened(_ event: SharedCacheEvent) {
    guard case .hit = event else { return }
    counts.withLock { $0.hits = ($0.hits ?? 0) + 1 }
  }

  /// Returns the counts since the last call of this function.
  func take() -> Counts {
    counts.withLock { counts in
      defer {
        counts.hits = counts.hits.map { _ in 0 }
        counts.upstream = counts.upstream.map { _ in 0 }
      }
      return counts
    }
  }
}
