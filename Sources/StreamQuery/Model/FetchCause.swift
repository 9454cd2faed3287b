/// Why a fetch was started.
///
/// Every reason to fetch enters through one coordinator, which records it: on the result, on the
/// ``FetchContext`` and in ``QueryClient/events``.
public enum FetchCause: String, Hashable, Codable, Sendable, CaseIterable {
  /// A stream or observer of the key began, was enabled, or changed to this key.
  case subscribed
  /// The key was invalidated.
  case invalidated
  /// The refetch interval went by.
  case interval
  /// The app or process became active again.
  case active
  /// The network came back.
  case reconnect
  /// Code asked for it: `fetch`, `ensure`, `prefetch` or `refetch`.
  case manual
  /// The entry was reset.
  case reset
  /// A stream given to `refetch(on:)` or to `connect(triggers:)` had an element.
  case trigger
}
