/// The timeouts of a connection, after which it is given up with all waiting commands.
///
/// After `SharedCacheConfiguration.timeout`, only a single call is given up, and the connection continues. So
/// let these be longer.
public struct RedisTimeouts: Hashable, Sendable {
  /// For a connection and its first commands.
  public var connect: Duration
  /// For the answer of a command, the time to connect included.
  public var command: Duration

  /// Creates timeouts.
  ///
  /// - Parameters:
  ///   - connect: For a connection and its first commands.
  ///   - command: For the answer of a command, the time to connect included.
  public init(connect: Duration = .seconds(2), command: Duration = .seconds(2)) {
    self.connect = connect
    self.command = command
  }
}
