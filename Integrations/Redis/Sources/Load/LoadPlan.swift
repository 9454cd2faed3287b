internal import StreamQuery
internal import StreamQueryRedis

/// The cases of the measurement: Redis alone, and a cache before it.
///
/// Each part starts its machines and ends them, because every running machine reads the messages
/// about the entries of all others.
struct LoadPlan: Sendable {
  /// Measures a case.
  typealias Measure = (LoadCase) async throws -> Void

  /// The number of cases that are repeated for a time.
  static var count: Int { callers.count * 4 }

  /// The numbers of concurrent callers.
  private static let callers = [1, 8, 100]
  /// The number of callers in a crowd; they fetch keys without entries: all the same key, or each its own.
  private static let crowd = 10_000
  /// How long upstream takes to answer a caller of a crowd.
  private static let fetchTime = Duration.milliseconds(50)

  /// The server.
  let endpoint: RedisEndpoint

  /// Measures all cases.
  ///
  /// - Parameter measure: Measures a case.
  /// - Throws: An error if the server does not answer.
  func run(_ measure: Measure) async throws {
    try await measureRedis(measure)
    try await measureLocalHits(measure)
    try await measureHits(measure)
    try await measureMisses(measure)
    for isOneKey in [true, false] { try await measureCrowd(isOneKey, measure) }
  }

  // MARK: Redis alone

  private func connection() -> RedisConnection {
    let timeouts = RedisTimeouts(connect: .seconds(30), command: .seconds(30))
    return RedisConnection(endpoint, timeouts: timeouts)
  }

  private func measureRedis(_ measure: Measure) async throws {
    let text = LoadMachine.Value().text
    let connection = connection()
    _ = try await connection.send(RedisCommand("SET", "alone", text))
    let tally = LoadTally(LoadTally.Counts())
    for callers in Self.callers {
      try await measure(
        LoadCase(name: "Redis alone: `GET`", callers: callers, tally: tally) { _ in
          let reply = try await connection.send(RedisCommand("GET", "alone"))
          guard reply.bytes?.count == text.utf8.count else { throw LoadError.unexpected(reply) }
        }
      )
    }
    let connections = [connection] + (1..<4).map { _ in self.connection() }
    for isOneKey in [true, false] { try await measure(redisCrowd(connections, isOneKey)) }
    for connection in connections { await connection.close() }
  }

  /// Measures a crowd without a cache: a caller that finds no value asks upstream, and stores the
  /// answer.
  private func redisCrowd(_ connections: [RedisConnection], _ isOneKey: Bool) -> LoadCase {
    let tally = LoadTally(LoadTally.Counts(upstream: 0))
    let name = "Redis alone: `GET`, else upstream and `SET`, \(Self.keys(isOneKey))"
    return LoadCase(name: name, callers: Self.crowd, isCrowd: true, tally: tally) { call in
      let connection = connections[call.caller % connections.count]
      let key = "crowd \(Self.key(of: call, isOneKey))"
      if try await connection.send(RedisCommand("GET", key)).bytes != nil { return }
      tally.askedUpstream()
      try await Task.sleep(for: Self.fetchTime)
      _ = try await connection.send(RedisCommand("SET", key, LoadMachine.Value().text))
    }
  }

  private static func keys(_ isOneKey: Bool) -> String { isOneKey ? "one key" : "a key each" }

  private static func key(of call: LoadCase.Call, _ isOneKey: Bool) -> String {
    isOneKey ? "\(call.round)" : call.text
  }

  // MARK: With the cache

  private func measureLocalHits(_ measure: Measure) async throws {
    let tally = LoadTally()
    let machine = try LoadMachine(endpoint, tally)
    let query = machine.query("local", "1")
    for callers in Self.callers {
      try await measure(
        LoadCase(name: "local hit", callers: callers, tally: tally) { _ in
          _ = try await machine.client.fetch(query)
        }
      )
    }
    await machine.end()
  }

  private func measureHits(_ measure: Measure) async throws {
    let tally = LoadTally()
    let other = try LoadMachine(endpoint, LoadTally())
    let machine = try LoadMachine(endpoint, tally)
    let most = Self.callers.max() ?? 1
    for caller in 0..<most { _ = try await other.client.fetch(other.query("hit", "\(caller)")) }
    await other.end()
    let queries = (0..<most).map { machine.query("hit", "\($0)") }
    for callers in Self.callers {
      try await measure(
        LoadCase(
          name: "local miss, hit in the store",
          callers: callers,
          tally: tally,
          prepare: { machine.client.remove(queries[$0.caller]) },
          call: { _ = try await machine.client.fetch(queries[$0.caller]) }
        )
      )
    }
    await machine.end()
  }

  private func measureMisses(_ measure: Measure) async throws {
    let tally = LoadTally()
    // The lifetime is short, so that the many entries do not fill the server's memory.
    let machine = try LoadMachine(endpoint, tally, lifetime: .seconds(10))
    for callers in Self.callers {
      try await measure(
        LoadCase(name: "miss: leads and commits", callers: callers, tally: tally) { call in
          _ = try await machine.client.fetch(machine.query("miss \(callers)", call.text))
        }
      )
    }
    await machine.end()
  }

  private func measureCrowd(_ isOneKey: Bool, _ measure: Measure) async throws {
    let tally = LoadTally()
    let machines = try (0..<4).map { _ in
      try LoadMachine(endpoint, tally, lifetime: .seconds(60))
    }
    let name = "miss of all at once, in 4 clients, \(Self.keys(isOneKey))"
    try await measure(
      LoadCase(name: name, callers: Self.crowd, isCrowd: true, tally: tally) { call in
        let machine = machines[call.caller % machines.count]
        let key = Self.key(of: call, isOneKey)
        let query = machine.query("crowd", key, upstream: Self.fetchTime)
        _ = try await machine.client.fetch(query)
      }
    )
    for machine in machines { await machine.end() }
  }
}
