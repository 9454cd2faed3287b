/// What the cache had for a caller or an observer when it came.
///
/// Each `fetch`, `ensure` and `prefetch` counts as one lookup. So does an observer when it
/// subscribes, moves to another key or is enabled. Plain reads with `data(for:)` or `result(for:)`,
/// and requests for a refetch, are not counted: for them, nothing depends on what the cache has.
///
/// ``QueryClient/lookups`` counts them. Who receives every event is told of each by a
/// ``QueryEvent/Kind/lookup(_:)``; an ``EventReceiver`` may need less.
public enum CacheLookup: String, Hashable, Codable, CaseIterable, Sendable {
  /// Fresh data.
  case hit
  /// Data that is invalidated or older than its stale time, but that the caller accepts: an
  /// observer shows it while it is refreshed, `ensure` returns it.
  case staleHit
  /// Nothing that the caller accepts, but a fetch was already running: the caller waits for it.
  case joined
  /// Nothing that the caller accepts: it is fetched, unless an option such as
  /// ``Query/retryOnSubscribe(_:)`` or a missing fetch prevents that.
  case miss
  /// A failure that is the answer for a while, which the caller gets: ``FailureCaching``.
  case failure
}
