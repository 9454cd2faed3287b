import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// The store, where server, network or data are not well.
  struct RedisFaultTests {
    let key = SharedKey("k", marks: [SharedMark("m")])
    let value = SharedValue([1], form: "f")
    let names = ["state", "log", "marks", "e:k", "l:k"].map { "{test}:sq1:\($0)" }

    private func store(_ server: TestServer) -> RedisStore {
      RedisStore(server.endpoint, namespace: "test")
    }

    private func position(_ store: RedisStore) async throws -> SharedPosition {
      try await store.changes(after: nil, timeout: .zero).position
    }

    /// Whether a position is a gap, and the one after it is none.
    private func isGapOnce(_ store: RedisStore, _ position: SharedPosition) async throws -> Bool {
      let changes = try await store.changes(after: position, timeout: .seconds(60))
      let next = try await store.changes(after: changes.position, timeout: .zero)
      return changes.isGap && !next.isGap
    }

    // MARK: Lost memory

    @Test(arguments: [TestServer.Memory.none, .everyChange])
    func afterARestartNothingFromBeforeIsTrusted(_ memory: TestServer.Memory) async throws {
      let server = try TestServer(memory: memory)
      let store = store(server)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      let lease = try await lead(store, SharedKey("l", marks: []))
      let before = try await position(store)
      server.kill()
      #expect(isUnavailable(await outcome { try await store.invalidate([]) }))
      try server.start()
      #expect(try await commit(store, value, lease) == nil)
      #expect(try await store.renew(lease, for: .seconds(1)) == false)
      _ = try await lead(store, key)
      #expect(try await isGapOnce(store, before))
      await store.close()
    }

    @Test func aServerThatKeepsEveryChangeGoesOnWhereThatIsAskedFor() async throws {
      let server = try TestServer(memory: .everyChange)
      var configuration = RedisStoreConfiguration()
      configuration.restarts = .goOn
      let store = RedisStore(server.endpoint, namespace: "test", configuration: configuration)
      let before = try await position(store)
      let version = try await store.write(value, for: key, lifetime: .seconds(60))
      let lease = try await lead(store, SharedKey("l", marks: []))
      server.kill()
      try server.start()
      let changes = try await store.changes(after: before, timeout: .seconds(60))
      #expect(changes.messages == [SharedMessage(version, .written(key: "k"))])
      #expect(try await commit(store, value, lease) != nil)
      guard case .entry = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      await store.close()
    }

    @Test func anOlderMemoryIsSeenByTheLastVersion() async throws {
      let server = try TestServer(memory: .snapshots)
      var configuration = RedisStoreConfiguration()
      configuration.restarts = .goOn
      let store = RedisStore(server.endpoint, namespace: "test", configuration: configuration)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      try await tell(server, "SAVE")
      let old = try await lead(store, SharedKey("l", marks: []))
      _ = try await store.invalidate(key.marks)
      let before = try await position(store)
      server.kill()
      try server.start()
      #expect(try await isGapOnce(store, before))
      // The tokens of the lost time are not given again.
      let lease = try await lead(store, SharedKey("l", marks: []))
      #expect(lease.token > old.token)
      #expect(try await commit(store, value, old) == nil)
      await store.close()
    }

    @Test func anotherServerWithTheSameMemoryBeginsAnew() async throws {
      let master = try TestServer()
      let replica = try TestServer()
      let proxy = try TestProxy(to: master.port)
      let first = RedisStore(proxy.endpoint, namespace: "test")
      _ = try await first.write(value, for: key, lifetime: .seconds(60))
      let before = try await position(first)
      try await tell(replica, "REPLICAOF", "127.0.0.1", "\(master.port)")
      while try await tell(replica, "EXISTS", names[3]) != .integer(1) {}
      let second = store(replica)
      // A replica serves nobody.
      #expect(isUnavailable(await outcome { try await second.invalidate([]) }))
      master.kill()
      try await tell(replica, "REPLICAOF", "NO", "ONE")
      #expect(try await isGapOnce(second, before))
      _ = try await lead(second, key)
      await first.close()
      await second.close()
    }

    @Test func aServerThatWasAReplicaMeanwhileBeginsAnew() async throws {
      let server = try TestServer()
      let other = try TestServer()
      let store = store(server)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      let before = try await position(store)
      try await tell(other, "REPLICAOF", "127.0.0.1", "\(server.port)")
      while try await tell(other, "EXISTS", names[3]) != .integer(1) {}
      // Cut off, the other one lacks what comes now.
      try await tell(other, "REPLICAOF", "NO", "ONE")
      _ = try await store.invalidate(key.marks)
      try await tell(server, "REPLICAOF", "127.0.0.1", "\(other.port)")
      while try await tell(server, "ROLE").elements?[3].text != "connected" {}
      try await tell(server, "REPLICAOF", "NO", "ONE")
      // Also for who was connected all the time, and heard nothing.
      _ = try await lead(store, key)
      #expect(try await isGapOnce(store, before))
      await store.close()
    }

    @Test func aMasterThatBecomesAReplicaIsUnavailable() async throws {
      let server = try TestServer()
      let master = try TestServer()
      let store = store(server)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      try await tell(server, "REPLICAOF", "127.0.0.1", "\(master.port)")
      #expect(isUnavailable(await outcome { try await store.invalidate([]) }))
      #expect(isUnavailable(await outcome { try await ask(store, key) }))
      // What another master did meanwhile is unknown.
      try await tell(server, "REPLICAOF", "NO", "ONE")
      _ = try await lead(store, key)
      await store.close()
    }

    @Test(arguments: ["FLUSHALL", "FLUSHDB", "SCRIPT FLUSH"])
    func whatIsFlushedIsMissing(_ command: String) async throws {
      let server = try TestServer()
      let store = store(server)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      let lease = try await lead(store, SharedKey("l", marks: []))
      let before = try await position(store)
      if command == "SCRIPT FLUSH" {
        try await tell(server, "SCRIPT", "FLUSH")
        #expect(try await commit(store, value, lease) != nil)
        let changes = try await store.changes(after: before, timeout: .seconds(60))
        #expect(changes.messages.map(\.kind) == [.committed(key: "l")])
      } else {
        try await tell(server, command)
        #expect(try await commit(store, value, lease) == nil)
        #expect(try await isGapOnce(store, before))
        _ = try await lead(store, key)
      }
      await store.close()
    }

    @Test func whoWaitsForTheLogLearnsThatItWasFlushed() async throws {
      let server = try TestServer()
      let store = store(server)
      _ = try await store.invalidate([])
      let before = try await position(store)
      let reader = Task { try await store.changes(after: before, timeout: .seconds(600)) }
      try await blocked(1, at: server)
      try await tell(server, "FLUSHALL")
      #expect(try await reader.value.isGap)
      await store.close()
    }

    // MARK: Foreign data

    /// Commands that another program may send, with the names of the store's keys.
    static let vandals: [[String]] = [
      ["DEL", "{test}:sq1:state"], ["DEL", "{test}:sq1:log"], ["DEL", "{test}:sq1:marks"],
      ["DEL", "{test}:sq1:e:k"], ["DEL", "{test}:sq1:l:k"],
      ["SET", "{test}:sq1:state", "x"], ["SET", "{test}:sq1:log", "x"],
      ["SET", "{test}:sq1:marks", "x"], ["SET", "{test}:sq1:e:k", "x"],
      ["SET", "{test}:sq1:l:k", "x"],
      ["HSET", "{test}:sq1:state", "history", "\u{1}\u{2}"],
      ["HSET", "{test}:sq1:state", "last", "1e300"],
      ["HSET", "{test}:sq1:state", "last", "-1"],
      ["HSET", "{test}:sq1:state", "last", "9007199254740991"],
      ["HSET", "{test}:sq1:state", "token", "nan"], ["HSET", "{test}:sq1:state", "marks", "77"],
      ["HSET", "{test}:sq1:state", "floor", "x"], ["HDEL", "{test}:sq1:state", "run"],
      ["XADD", "{test}:sq1:log", "*", "foo", "bar"],
      ["XADD", "{test}:sq1:log", "18446744073709551615-18446744073709551615", "p", "0-0"],
      ["XADD", "{test}:sq1:log", "99999999999999-0", "p", "0-0", "k", "i"],
      ["XTRIM", "{test}:sq1:log", "MAXLEN", "0"], ["ZADD", "{test}:sq1:marks", "inf", "m"],
      ["ZADD", "{test}:sq1:marks", "1", "foreign"],
      ["HSET", "{test}:sq1:e:k", "v", "18446744073709551615-0"],
      ["HSET", "{test}:sq1:e:k", "v", "9999999999999-0"], ["HSET", "{test}:sq1:e:k", "v", "1-1"],
      ["HSET", "{test}:sq1:e:k", "v", "x"], ["HSET", "{test}:sq1:e:k", "t", "-5"],
      ["HSET", "{test}:sq1:e:k", "t", "9007199254730000"], ["HSET", "{test}:sq1:e:k", "t", "nan"],
      ["HSET", "{test}:sq1:e:k", "t", "0x10"], ["HSET", "{test}:sq1:e:k", "m", "x"],
      ["HSET", "{test}:sq1:e:k", "m", "\u{7f}"], ["HSET", "{test}:sq1:e:k", "m", ""],
      ["HSET", "{test}:sq1:e:k", "h", "other"], ["HDEL", "{test}:sq1:e:k", "b"],
      ["HDEL", "{test}:sq1:e:k", "f"], ["SETRANGE", "{test}:sq1:x", "9", "x"],
      ["HSET", "{test}:sq1:l:k", "n", "9007199254740991"], ["HSET", "{test}:sq1:l:k", "n", "x"],
      ["HSET", "{test}:sq1:l:k", "s", "9007199254730000"], ["HSET", "{test}:sq1:l:k", "m", "x"],
      ["PERSIST", "{test}:sq1:l:k"], ["PERSIST", "{test}:sq1:e:k"],
    ]

    @Test(arguments: vandals)
    func whateverIsWrittenUnderTheKeysEveryCallWorksAndNothingForeignIsServed(
      _ command: [String]
    ) async throws {
      let server = try TestServer()
      let store = store(server)
      _ = try await store.invalidate(key.marks)
      let before = try await position(store)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      let first = try await store.begin(key, maxAge: nil, lease: .seconds(60))
      guard case .leads(let lease, _) = first else {
        Issue.record("\(first)")
        return
      }
      try await send(server, command)
      // Whoever reads the log first learns of it.
      let changes = try await store.changes(after: before, timeout: .zero)
      #expect(changes.isGap || changes.messages.map(\.kind) == [.written(key: "k")])
      try await send(server, command)
      switch try await ask(store, key) {
      case .entry(let entry): #expect(entry.value == value)
      case .leads(_, let entry), .follows(_, _, let entry):
        #expect(entry.map { $0.value == value } ?? true)
      }
      try await send(server, command)
      _ = try await store.renew(lease, for: .seconds(60))
      try await send(server, command)
      _ = try await commit(store, value, lease)
      try await send(server, command)
      try await store.abandon(lease, failure: "no")
      try await send(server, command)
      let invalidated = try await store.invalidate(key.marks)
      try await send(server, command)
      let written = try await store.write(
        SharedValue([2], form: "f"),
        for: key,
        lifetime: .seconds(60)
      )
      #expect(written > invalidated)
      // After a round that nobody disturbs all is as ever.
      _ = try await store.changes(after: before, timeout: .zero)
      _ = try await ask(store, key)
      let start = try await position(store)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.value == value)
      let last = try await store.changes(after: start, timeout: .zero)
      #expect(last.messages.map(\.kind) == [.written(key: "k")])
      await store.close()
    }

    /// Sends a command, whatever comes of it.
    private func send(_ server: TestServer, _ words: [String]) async throws {
      let connection = RedisConnection(server.endpoint)
      _ = try await connection.send(RedisCommand(words.map { Array($0.utf8) }))
      await connection.close()
    }

    @Test func theFormOfAnotherVersionStaysApart() async throws {
      let server = try TestServer()
      let store = store(server)
      let old = SharedValue([1, 2], form: "v1")
      _ = try await store.write(old, for: key, lifetime: .seconds(60))
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      // Who knows another form sees from this that it is none of its own.
      #expect(entry.value.form == "v1")
      try await tell(server, "RENAME", "{test}:sq1:e:k", "{test}:sq2:e:k")
      _ = try await lead(store, key)
      await store.close()
    }

    // MARK: Network and machine

    private var brief: RedisStoreConfiguration {
      var configuration = RedisStoreConfiguration()
      configuration.timeouts = RedisTimeouts(
        connect: .milliseconds(300),
        command: .milliseconds(300)
      )
      return configuration
    }

    @Test func aServerThatStandsStillIsUnavailableAndThenGoesOn() async throws {
      let server = try TestServer()
      let store = RedisStore(server.endpoint, namespace: "test", configuration: brief)
      _ = try await store.write(value, for: key, lifetime: .seconds(600))
      let before = try await position(store)
      let reader = Task {
        await outcome { try await store.changes(after: before, timeout: .seconds(600)) }
      }
      try await blocked(1, at: server)
      server.pause()
      #expect(isUnavailable(await outcome { try await ask(store, key) }))
      #expect(isUnavailable(await reader.value))
      server.proceed()
      guard case .entry = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      // What the server did of the calls that failed is unknown; nothing was lost.
      let changes = try await store.changes(after: before, timeout: .zero)
      #expect(!changes.isGap)
      await store.close()
    }

    @Test(arguments: [
      TestProxy.Mode.swallows, .cuts, .drips(milliseconds: 50), .cutsAnswers(after: 3),
    ])
    func anyNetworkEndsTheCallAndTheNextOneWorksWhenItIsBack(_ mode: TestProxy.Mode) async throws {
      let server = try TestServer()
      let proxy = try TestProxy(to: server.port)
      let store = RedisStore(proxy.endpoint, namespace: "test", configuration: brief)
      _ = try await store.write(value, for: key, lifetime: .seconds(600))
      proxy.set(mode)
      let failures = await withTaskGroup(of: SharedStoreError?.self) { group in
        for _ in 0..<50 { group.addTask { await outcome { try await ask(store, key) } } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(failures.allSatisfy(isUnavailable))
      proxy.set(.passes)
      guard case .entry = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      await store.close()
    }

    @Test func aFullServerIsUnavailable() async throws {
      let server = try TestServer()
      let store = store(server)
      _ = try await store.write(value, for: key, lifetime: .seconds(600))
      try await tell(server, "CONFIG", "SET", "maxmemory", "1")
      #expect(
        isUnavailable(
          await outcome { try await store.write(value, for: key, lifetime: .seconds(60)) }
        )
      )
      try await tell(server, "CONFIG", "SET", "maxmemory", "0")
      guard case .entry = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      await store.close()
    }

    @Test func aServerThatIsNoneIsAnError() async throws {
      let server = try TestServer(options: ["--rename-command", "EVAL", "X1"])
      let store = store(server)
      #expect(isUnavailable(await outcome { try await ask(store, key) }))
      await store.close()
    }
  }
}
