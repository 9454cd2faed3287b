/// How long a connection waits for a server, before it is given up with all that waits on it.
///
/// `SharedCacheConfiguration.timeout` is something else: after that a single call is given up, and the
/// connection goes on. So let these be longer.
public struct RedisTimeouts: Hashable, Sendable {
  /// For a connection, and what it says first.
  public var connect: Duration
  /// For the answer of a command, the time to connect included.
  public var command: Duration

  /// Creates timeouts.
  ///
  /// - Parameters:
  ///   - connect: For a connection, and what it says first.
  ///   - command: For the answer of a command, the time to connect included.
  public init(connect: Duration = .seconds(2), command: Duration = .seconds(2)) {
    self.connect = connect
    self.command = command
  }
}
