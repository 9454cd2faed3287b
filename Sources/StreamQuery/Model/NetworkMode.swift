/// What a fetch does while the network cannot be reached.
public enum NetworkMode: String, Hashable, Codable, Sendable {
  /// Nothing starts while offline: the fetch is paused and starts when the network is back.
  case online
  /// The network does not matter: fetches start, and a reconnect refetches only where asked.
  case always
  /// The first attempt runs, retries wait for the network: for fetches that may answer from a cache.
  case offlineFirst
}

/// What becomes of a running fetch when nobody wants it any more.
///
/// A fetch is wanted by every stream of its key, by every caller that waits for it, and by the client
/// itself for background work. The policy of the running fetch decides.
public enum AbandonmentPolicy: Hashable, Sendable {
  /// The fetch's task is cancelled and what the fetch changed is undone; the default.
  case cancel
  /// A running attempt may land, and so may a paused refetch of data; no further attempt starts.
  case finish
  /// As ``cancel``, unless somebody wants the fetch again within the duration.
  case linger(Duration)
}
