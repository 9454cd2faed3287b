/// The reason for which a fetch was started.
///
/// The client records the reason of each fetch on the result, on the ``FetchContext`` and in
/// ``QueryClient/events``.
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
  /// Code asked for a value or a refetch: `fetch`, `ensure`, `prefetch` or `refetch`.
  case manual
  /// The entry was reset.
  case reset
  /// A stream emitted an element that was given to `refetch(on:)` or to `connect(triggers:)`.
  case trigger
}

/// How new the answer of a fetch must be, if another cache might give it.
///
/// A fetch may ask another cache: of the process, of other machines or of the network.
/// ``FetchContext/demand`` tells the fetch which answers of that cache will do.
public enum FetchDemand: String, Hashable, Codable, Sendable, CaseIterable {
  /// The data is missing or stale, or a refetch failed. An answer that is younger than
  /// ``FetchContext/staleTime`` will do.
  case fresh
  /// The data was invalidated. Only an answer from after the invalidation will do.
  case afterInvalidation
  /// Somebody asked for a new answer, by a refetch, a reset or a trigger.
  case latest
}

extension FetchDemand {
  /// Determines how new the answer of a fetch must be.
  ///
  /// - Parameters:
  ///   - cause: The reason for the fetch.
  ///   - isImperative: Whether a caller asked for the value, and not for a refetch.
  ///   - isInvalidated: Whether the data is invalidated, and not only because a refetch failed.
  init(_ cause: FetchCause, isImperative: Bool, isInvalidated: Bool) {
    switch cause {
    case .reset, .trigger: self = .latest
    case .manual where !isImperative: self = .latest
    case .subscribed, .invalidated, .interval, .active, .reconnect, .manual:
      self = isInvalidated || cause == .invalidated ? .afterInvalidation : .fresh
    }
  }
}

/// The identity of one fetch of a client, among all fetches of all clients of the process.
///
/// All attempts of a fetch, all callers that wait for it and all events about it have the same identity. A
/// fetch that replaces another has an identity of its own.
public struct FetchIdentity: Hashable, Sendable, _FreeOfActors, CustomStringConvertible {
  /// A number that is unique to the client.
  let client: UInt64
  /// A number that is unique to the entry: no other entry of the client ever has it.
  let entry: UInt64
  /// The number of the fetch among those of the entry.
  let number: UInt32

  /// The numbers of the entry and of the fetch, for the client's log.
  @_documentation(visibility: internal)
  public var description: String { "\(entry).\(number)" }
}
