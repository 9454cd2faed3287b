import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// Commands that arrive after their callers have given up, and answers that never come.
  struct RedisLateTests {
    let key = SharedKey("k", marks: [SharedMark("m")])
    let server: TestServer
    let proxy: TestProxy
    let store: RedisStore

    init() throws {
      var configuration = RedisStoreConfiguration()
      configuration.timeouts = RedisTimeouts(connect: .seconds(1), command: .seconds(1))
      server = try TestServer()
      proxy = try TestProxy(to: server.port)
      store = RedisStore(proxy.endpoint, namespace: "test", configuration: configuration)
    }

    private func value(_ byte: UInt8) -> SharedValue { SharedValue([byte], form: "f") }

    private func write(_ byte: UInt8) async throws -> SharedVersion {
      try await store.write(value(byte), for: key, lifetime: .seconds(60))
    }

    /// Waits until a server has run so many scripts.
    private func scripts(_ count: Int) async throws {
      while try await Self.scripts(server) < count {}
    }

    private static func scripts(_ server: TestServer) async throws -> Int {
      let text = try await tell(server, "INFO", "commandstats").text ?? ""
      return text.split(whereSeparator: \.isNewline).reduce(0) { sum, line in
        guard line.hasPrefix("cmdstat_eval") else { return sum }
        let count = line.split(separator: ",").first?.split(separator: "=").last
        return sum + (count.flatMap { Int($0) } ?? 0)
      }
    }

    @Test(arguments: [false, true])
    func aWriteThatTimedOutDoesNotLandAfterALaterOne(_ isOfAnotherMachine: Bool) async throws {
      let other = RedisStore(server.endpoint, namespace: "test")
      _ = try await write(0)
      let known = try await Self.scripts(server)
      proxy.set(.delays(milliseconds: 2_000))
      #expect(isUnavailable(await outcome { try await write(1) }))
      proxy.set(.passes)
      let later = isOfAnotherMachine ? other : store
      let second = try await later.write(value(2), for: key, lifetime: .seconds(60))
      // The greeting and the second one, and now also the first one.
      try await scripts(known + 3)
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.value == value(2))
      #expect(entry.version == second)
      #expect(try await other.changes(after: nil, timeout: .zero).position.version == second)
      await other.close()
      await store.close()
    }

    @Test func whatAServerThatStoodStillFindsLaterIsNotDone() async throws {
      _ = try await write(0)
      let position = try await store.changes(after: nil, timeout: .zero).position
      server.pause()
      let failures = [
        await outcome { try await write(1) },
        await outcome { try await store.invalidate(key.marks) },
        await outcome { try await store.begin(key, maxAge: nil, lease: .seconds(60)) },
      ]
      #expect(failures.allSatisfy(isUnavailable))
      server.proceed()
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.value == value(0))
      #expect(try await store.changes(after: position, timeout: .zero).messages == [])
      await store.close()
    }

    @Test func whatAnEarlierConnectionSentIsRefused() async throws {
      _ = try await write(0)
      let names = try await tell(server, "KEYS", "{test}:sq1:c:*").elements ?? []
      let name = try #require(names.first?.text)
      #expect(names.count == 1)
      #expect(try await tell(server, "PTTL", name).number ?? 0 > 0)
      // As if another connection of the store had come meanwhile.
      try await tell(server, "SET", name, "7")
      #expect(isUnavailable(await outcome { try await write(1) }))
      // That connection is over, and the next one has the say.
      let version = try await write(2)
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.version == version)
      // What another program puts there is no number of a connection.
      for vandal in [["LPUSH", name, "x"], ["SET", name, "x"], ["SET", name, "-9"]] {
        try await tell(server, "DEL", name)
        let connection = RedisConnection(server.endpoint)
        _ = try await connection.send(RedisCommand(vandal.map { Array($0.utf8) }))
        _ = try await write(3)
        await connection.close()
      }
      await store.close()
    }

    @Test func withoutTheNumberOfTheConnectionItsDeadlineStillCounts() async throws {
      _ = try await write(0)
      let known = try await Self.scripts(server)
      let names = try await tell(server, "KEYS", "{test}:sq1:c:*").elements ?? []
      let name = try #require(names.first?.text)
      proxy.set(.delays(milliseconds: 2_000))
      #expect(isUnavailable(await outcome { try await write(1) }))
      proxy.set(.passes)
      let version = try await write(2)
      // As if the server had evicted it; no later command brings it back.
      try await tell(server, "DEL", name)
      try await scripts(known + 3)
      #expect(try await tell(server, "EXISTS", name) == .integer(0))
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.value == value(2))
      #expect(entry.version == version)
      await store.close()
    }

    @Test func whoLostTheAnswerTakesItsLeaseAgain() async throws {
      let warm = SharedKey("warm", marks: [])
      _ = try await store.begin(warm, maxAge: nil, lease: .milliseconds(1))
      proxy.set(.cutsAnswers(after: 0))
      #expect(isUnavailable(await outcome { try await ask(store, key) }))
      #expect(try await tell(server, "EXISTS", "{test}:sq1:l:k") == .integer(1))
      proxy.set(.passes)
      // Others cannot know that nobody fetches.
      let other = RedisStore(server.endpoint, namespace: "test")
      guard case .follows = try await ask(other, key) else {
        Issue.record("another one leads")
        return
      }
      let lease = try await lead(store, key)
      // Once only: now somebody leads.
      guard case .follows = try await ask(store, key) else {
        Issue.record("two lead")
        return
      }
      #expect(try await commit(store, value(1), lease) != nil)
      await other.close()
      await store.close()
    }
  }
}
