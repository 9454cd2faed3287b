/// What the cache had for a caller, or for an observer, when it came.
///
/// Each `fetch`, `ensure` and `prefetch` looks once, and so does an observer: when it comes, moves to
/// another key or is enabled. Who reads only, with `data(for:)` or `result(for:)`, or asks for a refetch,
/// is not counted: nothing depends on what the cache has.
///
/// The events of ``QueryEvent/Kind/lookup(_:)`` tell of each, ``QueryClient/lookups`` counts them.
public enum CacheLookup: String, Hashable, Codable, CaseIterable, Sendable {
  /// Fresh data.
  case hit
  /// Data that is older than its stale time or was invalidated, and that the asker takes all the same:
  /// an observer shows it while it is refreshed, `ensure` returns it.
  case staleHit
  /// Nothing that the asker takes, but a fetch of it was under way: the asker waits for that one.
  case joined
  /// Nothing that the asker takes: it is fetched, unless an option such as ``Query/retryOnSubscribe(_:)`` or the
  /// lack of a fetch says otherwise.
  case miss
}
