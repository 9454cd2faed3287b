internal import StreamQueryRedis

/// A product of the shop.
struct Product: Codable, Sendable {
  var price: Int
}

/// The upstream of the machines: a shop's database, which counts its requests.
///
/// In this example, the database is another Redis server than the one of the cache.
struct Shop: Sendable {
  private let connection: RedisConnection

  init(port: UInt16) {
    connection = RedisConnection(
      RedisEndpoint(.host("127.0.0.1", port: Int(port))),
      timeouts: RedisTimeouts(connect: .seconds(30), command: .seconds(30))
    )
  }

  func product(_ id: Int) async throws -> Product {
    _ = try await connection.send(RedisCommand("INCR", "calls"))
    let price = try await connection.send(RedisCommand("GET", "price:\(id)")).number
    return Product(price: price.map { Int($0) } ?? 100)
  }

  func setPrice(_ price: Int, of id: Int) async throws {
    _ = try await connection.send(RedisCommand("SET", "price:\(id)", "\(price)"))
  }

  /// Returns the report; the first request gets no answer.
  func report() async throws -> String {
    _ = try await connection.send(RedisCommand("INCR", "calls"))
    let count = try await connection.send(RedisCommand("INCR", "reports"))
    if count == .integer(1) {
      _ = try await connection.send(RedisCommand("RPUSH", "hanging", "one"))
      try await Task.sleep(for: .seconds(3_600))
    }
    return "a good year"
  }

  /// Returns after a machine has requested the report and waits for the answer.
  func isAskedForReport() async throws {
    _ = try await connection.send(RedisCommand("BLPOP", "hanging", "25"))
  }

  /// Returns the number of requests since the last call.
  func takeCalls() async throws -> Int {
    let calls = try await connection.send(RedisCommand("GETSET", "calls", "0"))
    return Int(calls.number ?? 0)
  }
}
