/// The timeouts after which a connection is given up with all waiting commands.
///
/// After `SharedCacheConfiguration.timeout`, only a single call is given up, and the connection continues. So
/// make the timeouts of the connection longer. A negative timeout counts as zero, and one of more than 100
/// years as 100 years.
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

extension RedisTimeouts {
  /// The timeouts within their bounds, so that every sum with a time of the clock can be computed.
  var bounded: Self {
    func bounded(_ time: Duration) -> Duration { min(max(time, .zero), .longestTimeout) }
    return Self(connect: bounded(connect), command: bounded(command))
  }
}
