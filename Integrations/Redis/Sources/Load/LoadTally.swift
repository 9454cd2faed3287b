internal import StreamQueryShared
internal import Synchronization

/// Counts what calls came to.
final class LoadTally: Sendable {
  /// What was counted; `nil` is what the case does not have.
  struct Counts: Sendable {
    /// How many calls were answered by the store.
    var hits: Int?
    /// How often upstream was asked.
    var upstream: Int?
  }

  private let counts: Mutex<Counts>

  /// Creates a tally.
  ///
  /// - Parameter counts: What it counts, with how it begins.
  init(_ counts: Counts = Counts(hits: 0, upstream: 0)) {
    self.counts = Mutex(counts)
  }

  /// Upstream was asked.
  func askedUpstream() { counts.withLock { $0.upstream = ($0.upstream ?? 0) + 1 } }

  /// Something happened in a shared cache.
  func happened(_ event: SharedCacheEvent) {
    guard case .hit = event else { return }
    counts.withLock { $0.hits = ($0.hits ?? 0) + 1 }
  }

  /// What was counted since the last time.
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
