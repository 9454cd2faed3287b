/// What a fetch does while the network is unreachable.
public enum NetworkMode: String, Hashable, Codable, Sendable {
  /// Nothing starts while offline: the fetch is paused and starts when the network is back.
  case online
  /// The network does not matter: fetches start, and a reconnect refetches only where asked.
  case always
  /// The first attempt runs and retries wait for the network: for fetches that may answer from a
  /// cache.
  case offlineFirst
}
