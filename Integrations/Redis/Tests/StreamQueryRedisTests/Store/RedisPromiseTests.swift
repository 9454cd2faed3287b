import Foundation
import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// What Faults.md says of a server's clock, memory, rights and replicas.
  @Suite(.timeLimit(.minutes(1))) struct RedisPromiseTests {
    let server: TestServer
    let key = SharedKey("k", marks: [SharedMark("m")])
    let value = SharedValue([1], form: "f")
    let keys = RedisKeys("test")

    init() throws { server = try TestServer() }

    private func store(
      _ configure: (inout RedisStoreConfiguration) -> Void = { _ in }
    ) -> RedisStore {
      var configuration = RedisStoreConfiguration()
      configure(&configuration)
      return RedisStore(server.endpoint, namespace: "test", configuration: configuration)
    }

    // MARK: Clocks

    /// Runs a script as if the server's clock were wrong by so many seconds.
    private func run(
      _ script: RedisScript,
      clockOffBy seconds: Int,
      _ names: [[UInt8]],
      _ arguments: [String],
      due: UInt64 = 9_000_000_000_000_000
    ) async throws -> RedisReply {
      let source = script.source.replacing(
        "redis.call('TIME')",
        with: "redis.call('TIME') time[1] = text0(time[1] + \(seconds))"
      )
      let text = "local function text0(n) return string.format('%.0f', n) end\n\(source)"
      let stamps = [1, due].map { Array("\($0)".utf8) }
      let head = ["EVAL", text, "\(names.count)"].map { Array($0.utf8) }
      let connection = RedisConnection(server.endpoint)
      let words = head + names + arguments.map { Array($0.utf8) } + stamps
      let reply = try await connection.send(RedisCommand(words))
      await connection.close()
      return reply
    }

    private func write(clockOffBy seconds: Int) async throws -> SharedVersion {
      let names = keys.all(for: key) + [keys.connection(of: "c")]
      let arguments = ["1000", "k", "60000", "f", "x", "m"]
      let reply = try await run(.write, clockOffBy: seconds, names, arguments)
      return try #require(RedisAnswers.version(reply) ?? nil, "\(reply)")
    }

    @Test func versionsRiseThoughTheClockIsSetBackAndForward() async throws {
      let store = store()
      var position = try await store.changes(after: nil, timeout: .zero).position
      var versions = [position.version]
      for offset in [0, -3_600, -86_400, 0, 3_600, -3_600, 0] {
        versions.append(try await write(clockOffBy: offset))
        let changes = try await store.changes(after: position, timeout: .seconds(20))
        #expect(changes.messages.map(\.version) == [versions[versions.count - 1]])
        #expect(!changes.isGap)
        position = changes.position
      }
      #expect(versions == versions.sorted())
      #expect(Set(versions).count == versions.count)
      await store.close()
    }

    @Test func anEntryFromTheFutureIsMissing() async throws {
      let store = store()
      _ = try await write(clockOffBy: 3_600)
      guard case .leads(_, entry: nil) = try await ask(store, key) else {
        Issue.record("it was taken")
        return
      }
      await store.close()
    }

    @Test func aClockThatIsSetForwardRefusesWhatIsUnderWay() async throws {
      let now = UInt64(Date().timeIntervalSince1970 * 1_000_000)
      let names = keys.common + [keys.connection(of: "c")]
      let soon = now + 10_000_000
      let fine = try await run(.invalidate, clockOffBy: 0, names, ["1000", "m"], due: soon)
      #expect(RedisAnswers.version(fine) != nil)
      let late = try await run(.invalidate, clockOffBy: 3_600, names, ["1000", "m"], due: soon)
      guard case .error(let text) = late else {
        Issue.record("\(late)")
        return
      }
      #expect(text.hasPrefix("LATE"))
    }

    @Test func anEntrySaysWhenItWasAskedFor() async throws {
      let store = store()
      let lease = try await lead(store, key)
      let taken = ContinuousClock.now
      // The server's time goes on.
      while ContinuousClock.now - taken < .milliseconds(20) { _ = try await tell(server, "PING") }
      _ = try await commit(store, value, lease)
      guard case .entry(let committed) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      let span = try #require(committed.requestAge)
      #expect(span >= committed.age + .milliseconds(20))
      #expect(span < .seconds(30))
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      guard case .entry(let written) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(written.requestAge == written.age)
      // What an earlier form of this package stored does not say it.
      try await tell(server, "HDEL", "{test}:sq1:e:k", "r")
      guard case .entry(let old) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(old.requestAge == nil)
      await store.close()
    }

    // MARK: Memory

    /// Whatever the server evicts, nothing is served that was invalidated.
    @Test(arguments: ["allkeys-lru", "allkeys-random", "volatile-ttl", "noeviction"])
    func aServerThatEvictsServesNothingInvalidated(policy: String) async throws {
      try await tell(server, "CONFIG", "SET", "maxmemory-policy", policy)
      try await tell(server, "CONFIG", "SET", "maxmemory-samples", "1")
      let store = store()
      let large = SharedValue([UInt8](repeating: 7, count: 4_000), form: "f")
      var invalidated: [Int: SharedVersion] = [:]
      var (hits, refused) = (0, 0)
      _ = try await store.invalidate([])
      let used = try await tell(server, "INFO", "memory").text ?? ""
      let line = used.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") }
      let bytes = Int(line?.dropFirst(12) ?? "") ?? 0
      try await tell(server, "CONFIG", "SET", "maxmemory", "\(bytes + 1_000_000)")
      for number in 0..<1_500 {
        let place = number % 300
        let key = SharedKey("k\(place)", marks: [SharedMark("m\(place)")])
        do {
          switch try await store.begin(key, maxAge: .seconds(600), lease: .milliseconds(50)) {
          case .entry(let entry):
            hits += 1
            #expect(entry.version > invalidated[place] ?? entry.version.before)
          case .leads(let lease, entry: _): _ = try await commit(store, large, lease)
          case .follows: break
          }
          if number % 7 == 0 { invalidated[place] = try await store.invalidate(key.marks) }
        } catch SharedStoreError.unavailable { refused += 1 }
      }
      let stats = try await tell(server, "INFO", "stats").text ?? ""
      let evicts = !stats.contains("evicted_keys:0")
      #expect(evicts || refused > 0)
      #expect(hits > 0 || policy.hasPrefix("allkeys"))
      await store.close()
    }

    // MARK: Erasing

    @Test func anErasedNamespaceIsGoneAndTheOthersAreNot() async throws {
      let names = ["a*", "a", "ab", "[a]", "a*b"]
      let stores = names.map { RedisStore(server.endpoint, namespace: $0) }
      for store in stores {
        for number in 0..<50 {
          let key = SharedKey("secret \(number)", marks: [SharedMark("m")])
          _ = try await store.write(value, for: key, lifetime: .seconds(60))
        }
        _ = try await store.invalidate([SharedMark("secret mark")])
      }
      let first = stores[0]
      let before = try await first.changes(after: nil, timeout: .zero).position
      let held = try await lead(first, SharedKey("secret lease", marks: []))
      try await first.erase()
      // Neither the name of a key or mark, nor a value.
      let all = try await tell(server, "KEYS", "{a\\*}:*").elements ?? []
      #expect(all.compactMap(\.text).filter { $0.contains("secret") } == [])
      #expect(try await first.changes(after: before, timeout: .zero).isGap)
      #expect(try await commit(first, value, held) == nil)
      for store in stores.dropFirst() {
        for number in [0, 49] {
          let key = SharedKey("secret \(number)", marks: [SharedMark("m")])
          guard case .entry = try await ask(store, key) else {
            Issue.record("it is gone")
            continue
          }
        }
      }
      try await first.erase()
      for store in stores { await store.close() }
    }

    // MARK: Rights

    @Test func theRightsThatAreListedAreEnough() async throws {
      let rights = [
        "eval", "evalsha", "info", "time", "get", "set", "persist", "pexpire", "pttl", "del",
        "xread",
        "scan", "unlink", "@hash", "@sortedset", "@stream",
      ]
      let user =
        ["ACL", "SETUSER", "u", "on", ">p", "~{test}:sq1:*", "-@all"] + rights.map { "+\($0)" }
      let connection = RedisConnection(server.endpoint)
      let reply = try await connection.send(RedisCommand(user.map { Array($0.utf8) }))
      #expect(reply == .status("OK"))
      await connection.close()
      let url = "redis://u:p@127.0.0.1:\(server.port)"
      let store = RedisStore(try RedisEndpoint(url: url), namespace: "test")
      let start = try await store.changes(after: nil, timeout: .zero).position
      async let reading = store.changes(after: start, timeout: .seconds(20))
      let lease = try await lead(store, key)
      #expect(try await store.renew(lease, for: .seconds(60)))
      #expect(try await commit(store, value, lease) != nil)
      _ = try await reading
      let other = SharedKey("other", marks: [])
      try await store.abandon(try await lead(store, other), failure: "no")
      _ = try await store.write(value, for: other, lifetime: .seconds(60))
      _ = try await store.invalidate(key.marks)
      #expect(try await store.changes(after: start, timeout: .zero).messages.count == 4)
      // Other keys are not its own.
      let stranger = RedisStore(try RedisEndpoint(url: url), namespace: "other")
      #expect(await outcome { try await stranger.invalidate([]) } != nil)
      await store.close()
      await stranger.close()
    }

    // MARK: Connections

    @Test func timeoutsThatNeverEndAreTimeouts() async throws {
      let store = store {
        $0.timeouts = RedisTimeouts(connect: .seconds(Int64.max), command: .seconds(Int64.max))
      }
      let position = try await store.changes(after: nil, timeout: .zero).position
      _ = try await store.invalidate(key.marks)
      let changes = try await store.changes(after: position, timeout: .seconds(Int64.max))
      #expect(changes.messages.count == 1)
      await store.close()
    }

    @Test func aServerThatTakesNoConnectionIsUnavailableInTime() async throws {
      // It accepts nobody, and its queue is full: who connects waits for ever.
      let full = try FullListener()
      var configuration = RedisStoreConfiguration()
      configuration.timeouts = RedisTimeouts(
        connect: .milliseconds(300),
        command: .milliseconds(300)
      )
      let endpoint = RedisEndpoint(.host("127.0.0.1", port: Int(full.port)))
      let store = RedisStore(endpoint, namespace: "test", configuration: configuration)
      let start = ContinuousClock.now
      #expect(isUnavailable(await outcome { try await store.invalidate([]) }))
      let time = ContinuousClock.now - start
      #expect(time >= .milliseconds(290))
      #expect(time < .seconds(5))
      await store.close()
    }

    @Test func aReaderOfTheLogFailsInTimeWhenItsServerStandsStill() async throws {
      let store = store {
        $0.timeouts = RedisTimeouts(connect: .milliseconds(500), command: .milliseconds(500))
      }
      let position = try await store.changes(after: nil, timeout: .zero).position
      async let reading = outcome {
        try await store.changes(after: position, timeout: .seconds(1))
      }
      try await blocked(1, at: server)
      server.pause()
      let start = ContinuousClock.now
      #expect(isUnavailable(await reading))
      // What it waits at the server, and for an answer.
      #expect(ContinuousClock.now - start < .seconds(5))
      server.proceed()
      await store.close()
    }

    // MARK: Replicas

    @Test func aReplicaThatIsAwayForLongBeginsAnew() async throws {
      try await tell(server, "CONFIG", "SET", "repl-backlog-ttl", "1")
      let replica = try TestServer()
      let store = store()
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      try await tell(replica, "REPLICAOF", "127.0.0.1", "\(server.port)")
      while try await tell(replica, "EXISTS", "{test}:sq1:e:k") != .integer(1) {}
      let before = try await store.changes(after: nil, timeout: .zero).position
      replica.kill()
      let identity = try await self.identity()
      while try await self.identity() == identity { try Task.checkCancellation() }
      let changes = try await store.changes(after: before, timeout: .zero)
      #expect(changes.isGap)
      _ = try await lead(store, key)
      await store.close()
    }

    private func identity() async throws -> Substring? {
      let text = try await tell(server, "INFO", "replication").text ?? ""
      return text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("master_replid:") }
    }
  }
}

extension SharedVersion {
  /// A version before this one.
  fileprivate var before: SharedVersion {
    SharedVersion(milliseconds: milliseconds - 1, sequence: sequence)
  }
}
