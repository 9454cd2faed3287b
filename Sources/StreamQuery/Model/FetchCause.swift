/// Why a fetch was started.
///
/// Every reason to fetch goes through one coordinator, which records it on the result, on the
/// ``FetchContext`` and in ``QueryClient/events``.
public enum FetchCause: String, Hashable, Codable, Sendable, CaseIterable {
  /// A stream or observer of the key started, was enabled, or moved to this key.
  case subscribed
  /// The key was invalidated.
  case invalidated
  /// The refetch interval passed.
  case interval
  /// The app or process became active again.
  case active
  /// The network came back.
  case reconnect
  /// Code asked for it: `fetch`, `ensure`, `prefetch` or `refetch`.
  case manual
  /// The entry was reset.
  case reset
  /// A stream given to `refetch(on:)` or to `connect(triggers:)` emitted an element.
  case trigger
}
