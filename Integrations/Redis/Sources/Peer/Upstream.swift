internal import StreamQueryRedis

/// What the peers fetch from: a Redis server of its own, which counts.
struct Upstream: Sendable {
  private let connection: RedisConnection

  /// Creates an upstream.
  ///
  /// - Parameter port: The port of its server.
  init(port: Int) {
    connection = RedisConnection(
      RedisEndpoint(.host("127.0.0.1", port: port)),
      timeouts: RedisTimeouts(connect: .seconds(30), command: .seconds(30))
    )
  }

  /// Fetches the version of a key, and counts.
  ///
  /// The first who asks for a key that begins with `hang` gets no answer. One that begins with
  /// `slow` gets what it was then when the test says so. Of one that begins with `count`, the
  /// version is the number of the request.
  ///
  /// - Parameter key: The key.
  /// - Returns: The version.
  /// - Throws: That the upstream is out of reach.
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

  /// Counts something, for the test.
  ///
  /// - Parameter name: What.
  /// - Throws: That the upstream is out of reach.
  func note(_ name: String) async throws {
    _ = try await connection.send(RedisCommand("INCR", name))
  }

  /// Changes a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: Its version from now on.
  /// - Throws: That the upstream is out of reach.
  func change(_ key: String) async throws -> UInt64 {
    try await connection.send(RedisCommand("INCR", "version:\(key)")).number ?? 0
  }
}

/// What the peers share.
struct Item: Codable, Sendable {
  /// Rises with each change.
  var version: UInt64
}
