/// A caller's wait for a fetch.
public struct FetchWait: Sendable, _FreeOfActors {
  /// What the caller asked for.
  public let key: AnyQueryKey
  /// The fetch that it waits for.
  public let fetch: FetchIdentity
  /// Whether the fetch was there before the caller, which joined it.
  public let isJoining: Bool
}
