import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

/// Asks for an entry of any age, as somebody would who does not expect to lead.
func ask(_ store: RedisStore, _ key: SharedKey) async throws -> SharedBeginning {
  try await store.begin(key, maxAge: .seconds(3_600), lease: .seconds(60))
}

/// Takes a lease, of a key that has no entry.
func lead(
  _ store: RedisStore,
  _ key: SharedKey,
  for time: Duration = .seconds(60)
) async throws -> SharedLease {
  let found = try await store.begin(key, maxAge: .seconds(3_600), lease: time)
  guard case .leads(let lease, entry: nil) = found else {
    throw TestServerError(description: "no lease: \(found)")
  }
  return lease
}

/// Commits for a minute.
func commit(
  _ store: RedisStore,
  _ value: SharedValue,
  _ lease: SharedLease
) async throws -> SharedVersion? {
  try await store.commit(value, with: lease, lifetime: .seconds(60))
}

/// What a call throws; `nil` if nothing.
func outcome<Result>(
  _ call: () async throws -> Result
) async -> SharedStoreError? {
  do {
    _ = try await call()
    return nil
  } catch {
    return error as? SharedStoreError ?? .unreadable("another error: \(error)")
  }
}

/// Whether a call failed since the server is out of reach.
func isUnavailable(_ error: SharedStoreError?) -> Bool {
  guard case .unavailable? = error else { return false }
  return true
}

/// Waits until so many clients wait in a blocking call.
func blocked(_ count: Int, at server: TestServer) async throws {
  let observer = RedisConnection(server.endpoint)
  while true {
    let text = try await observer.send(RedisCommand("INFO", "clients")).text ?? ""
    if text.split(whereSeparator: \.isNewline).contains("blocked_clients:\(count)") { break }
    // The server has the clock.
    _ = try await observer.send(RedisCommand("BLPOP", "nobody", "0.02"))
  }
  await observer.close()
}

/// Sends a command to a server, as another program would.
@discardableResult
func tell(_ server: TestServer, _ words: String...) async throws -> RedisReply {
  let connection = RedisConnection(server.endpoint, timeouts: .init(command: .seconds(30)))
  let reply = try await connection.send(RedisCommand(words.map { Array($0.utf8) }))
  await connection.close()
  if case .error(let text) = reply { throw TestServerError(description: text) }
  return reply
}

/// How often a server did a command.
func calls(_ server: TestServer, _ command: String) async throws -> Int {
  let text = try await tell(server, "INFO", "commandstats").text ?? ""
  for line in text.split(whereSeparator: \.isNewline)
  where line.hasPrefix("cmdstat_\(command):calls=") {
    return Int(line.split(separator: "=")[1].prefix { $0.isNumber }) ?? 0
  }
  return 0
}
