/// The configuration of a ``RedisStore``.
public struct RedisStoreConfiguration: Hashable, Sendable {
  /// The effect of a restart of the server, or of another server in its place.
  public enum Restarts: Hashable, Sendable {
    /// No earlier entry is trusted. Another history begins, and all machines notice that they may have
    /// missed changes.
    ///
    /// A server that writes to its disk every second may lose the changes of a second, and a
    /// replica that takes over does not have all changes. Nobody knows which changes are lost, and
    /// an invalidation may be among them.
    case beginAnew
    /// The entries of the server are trusted.
    ///
    /// Use this only if the server writes each change to its disk before it answers (`appendfsync always`),
    /// and is never replaced by another server.
    case goOn
  }

  /// The timeouts of connections and commands.
  public var timeouts = RedisTimeouts()
  /// The maximum number of bytes of a key's text and marks (key, prefixes, tags) in total, with 16 more for
  /// each mark; at most 48 KiB.
  public var keyLimit = 48 << 10
  /// The maximum number of bytes of a value.
  ///
  /// Larger values are neither written nor read.
  public var valueLimit = (1 << 20) + 1_024
  /// The approximate number of messages that the log keeps.
  ///
  /// A machine that missed more messages than these does not trust its data any more.
  public var logLength = 10_000
  /// The effect of a restart of the server.
  public var restarts = Restarts.beginAnew

  /// Creates the default configuration.
  public init() {}

  /// The limits of this configuration, reduced to the sizes that the scripts can handle.
  var limits: RedisLimits {
    RedisLimits(key: min(max(keyLimit, 0), 48 << 10), value: min(max(valueLimit, 0), 256 << 20))
  }
}
