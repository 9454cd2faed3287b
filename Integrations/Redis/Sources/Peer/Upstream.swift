internal import StreamQueryRedis

/// The upstream of the peers: a Redis server of its own, which counts requests.
struct Upstream: Sendable {
  private let connection: RedisConnection

  /// Creates an upstream.
  ///
  /// - Parameter port: The port of the upstream's server.
  init(port: Int) {
    connection = RedisConnection(
      RedisEndpoint(.host("127.0.0.1", port: port)),
      timeouts: RedisTimeouts(connect: .seconds(30), command: .seconds(30))
    )
  }

  /// Fetches the version of a key, and counts the request.
  ///
  /// The first request for a key that begins with `hang` gets no answer. The first request for a key that
  /// begins with `slow` is answered only when the test has set `go`, with the version from the time of the
  /// request. A key that begins with `count` has the number of the request as its version.
  ///
  /// - Parameter key: The key.
  /// - Returns: The version.
  /// - Throws: An error if the upstream is out of reach.
  func fetch(_ key: String) async throws -> Item {
    let count = try await connection.send(RedisCommand("INCR", "calls:\(key)"))
    if key.hasPrefix("hang"), count == .integer(1) {
      _ = try await connection.send(RedisCommand("RPUSH", "hanging", "\(ownID())"))
      try await Task.sleep(for: .seconds(3_600))
    }
    if key.hasPrefix("count") { return Item(version: count.number ?? 0) }
    let version = try await connection.send(RedisCommand("GET", "version:\(key)"))
    if key.hasPrefix("slow"), count == .integer(1) {
      _ = try await connection.send(RedisCommand("RPUSH", "hanging", "\(ownID())"))
      while try await connection.send(RedisCommand("GET", "go")) == .null {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    return Item(version: version.number ?? 0)
  }

  /// Counts an event for the test.
  ///
  /// - Parameter name: The name of the event.
  /// - Throws: An error if the upstream is out of reach.
  func note(_ name: String) async throws {
    _ = try await connection.send(RedisCommand("INCR", name))
  }

  /// Changes a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The key's new version.
  /// - Throws: An error if the upstream is out of reach.
  func change(_ key: String) async throws -> UInt64 {
    try await connection.send(RedisCommand("INCR", "version:\(key)")).number ?? 0
  }
}

/// A value that the peers share.
struct Item: Codable, Sendable {
  /// Rises with each change.
  var version: UInt64
}
