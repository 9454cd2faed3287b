/// How a ``RedisStore`` uses its server.
public struct RedisStoreConfiguration: Hashable, Sendable {
  /// What a restart of the server, or another server in its place, means.
  public enum Restarts: Hashable, Sendable {
    /// Nothing from before is trusted: another history begins, which all peers see as a gap.
    ///
    /// A server that writes to its disk every second loses up to a second, and a replica that takes
    /// over lacks what was not copied yet. Nobody can tell what that was, so an invalidation may be
    /// missing.
    case beginAnew
    /// What the server kept is trusted.
    ///
    /// That is right only if the server writes each change to its disk before it answers
    /// (`appendfsync always`), and nothing else ever takes its place.
    case goOn
  }

  /// How long the server is waited for.
  public var timeouts = RedisTimeouts()
  /// How many bytes a key has at most, its marks included, each with 16 bytes more; no more than
  /// 48 KiB.
  public var keyLimit = 48 << 10
  /// How many bytes a value has at most.
  ///
  /// Larger ones are neither written nor read.
  public var valueLimit = (1 << 20) + 1_024
  /// About how many messages the log keeps.
  ///
  /// A peer that missed more trusts nothing that it has.
  public var logLength = 10_000
  /// What a restart of the server means.
  public var restarts = Restarts.beginAnew

  /// Creates the default configuration.
  public init() {}

  /// The limits, within what the scripts can take.
  var limits: RedisLimits {
    RedisLimits(key: min(max(keyLimit, 0), 48 << 10), value: min(max(valueLimit, 0), 256 << 20))
  }
}
