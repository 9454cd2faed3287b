/// The timeouts after which a connection is given up with all waiting commands.
///
/// After `SharedCacheConfiguration.timeout`, only a single call is given up, and the connection continues. So
/// make the timeouts of the connection longer.
public struct RedisTimeouts: Hashable, Sendable {
  /// The timeout for making a connection and for its first commands.
  public var connect: Duration
  /// The timeout for the answer of a command, including the time to connect.
  public var command: Duration

  /// Creates timeouts.
  ///
  /// - Parameters:
  ///   - connect: The timeout for making a connection and for its first commands.
  ///   - command: The timeout for the answer of a command, including the time to connect.
  public init(connect: Duration = .seconds(2), command: Duration = .seconds(2)) {
    self.connect = connect
    self.command = command
  }
}
