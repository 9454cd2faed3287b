import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// The store, where server, network and data are well.
  struct RedisStoreTests {
    let server: TestServer
    let store: RedisStore
    let key = SharedKey("user:1", marks: [SharedMark("k:user:1"), SharedMark("t:users")])
    let value = SharedValue([1, 0, 255], form: "json/1")

    init() throws {
      server = try TestServer()
      store = RedisStore(server.endpoint, namespace: "test")
    }

    @Test func oneLeadsTheOthersFollowAndThenAllHaveTheEntry() async throws {
      let lease = try await lead(store, key)
      guard case .follows(let position, let remaining, nil) = try await ask(store, key) else {
        Issue.record("nobody leads")
        return
      }
      #expect(remaining > .seconds(50))
      #expect(remaining <= .seconds(60))
      let version = try #require(try await commit(store, value, lease))
      let changes = try await store.changes(after: position, timeout: .zero)
      #expect(changes.messages == [SharedMessage(version, .committed(key: "user:1"))])
      #expect(!changes.isGap)
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.value == value)
      #expect(entry.version == version)
      #expect(entry.age >= .zero)
      #expect(entry.age < .seconds(30))
      #expect(try await commit(store, value, lease) == nil)
      await store.close()
    }

    @Test func anOlderEntryThanAskedForComesWithTheLease() async throws {
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      let first = try await store.begin(key, maxAge: nil, lease: .seconds(60))
      let second = try await store.begin(key, maxAge: nil, lease: .seconds(60))
      guard case .leads(_, let entry?) = first, case .follows(_, _, let other?) = second else {
        Issue.record("\(first) \(second)")
        return
      }
      #expect(entry.value == value)
      #expect(other.value == value)
      await store.close()
    }

    @Test func anInvalidationOfAMarkEndsEntryAndLease() async throws {
      for mark in key.marks {
        _ = try await store.write(value, for: key, lifetime: .seconds(60))
        _ = try await store.invalidate([mark])
        let lease = try await lead(store, key)
        _ = try await store.invalidate([SharedMark("other")])
        #expect(try await store.renew(lease, for: .seconds(60)))
        _ = try await store.invalidate([mark])
        #expect(try await store.renew(lease, for: .seconds(60)) == false)
        #expect(try await commit(store, value, lease) == nil)
        let next = try await lead(store, key)
        #expect(next.token > lease.token)
        try await store.abandon(lease, failure: "late")
        #expect(try await store.renew(next, for: .seconds(60)))
        try await store.abandon(next, failure: nil)
      }
      await store.close()
    }

    @Test func aWriteEndsTheLease() async throws {
      let lease = try await lead(store, key)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      #expect(try await commit(store, SharedValue([9], form: "f"), lease) == nil)
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.value == value)
      await store.close()
    }

    @Test func aLeaseEndsWithItsTime() async throws {
      let first = try await lead(store, key, for: .milliseconds(1))
      // The server's own clock decides: it is asked until it says so.
      var next = try await store.begin(key, maxAge: nil, lease: .seconds(60))
      while case .follows = next {
        next = try await store.begin(key, maxAge: nil, lease: .seconds(60))
      }
      guard case .leads(let second, nil) = next else {
        Issue.record("\(next)")
        return
      }
      #expect(second.token > first.token)
      #expect(try await commit(store, value, first) == nil)
      #expect(try await commit(store, value, second) != nil)
      await store.close()
    }

    @Test func anEntryEndsWithItsLifetime() async throws {
      _ = try await store.write(value, for: key, lifetime: .milliseconds(1))
      var found = try await ask(store, key)
      while case .entry = found { found = try await ask(store, key) }
      guard case .leads(_, nil) = found else {
        Issue.record("\(found)")
        return
      }
      await store.close()
    }

    @Test func whoWaitsForTheLogIsWokenByTheMessage() async throws {
      let start = try await store.changes(after: nil, timeout: .seconds(60)).position
      let readers = (0..<6).map { _ in
        Task { [store] in try await store.changes(after: start, timeout: .seconds(60)) }
      }
      try await blocked(6, at: server)
      let version = try await store.invalidate([SharedMark("m")])
      let message = SharedMessage(version, .invalidated([SharedMark("m")]))
      for reader in readers { #expect(try await reader.value.messages == [message]) }
      await store.close()
    }

    @Test func whoWaitsForTheLogLeavesAtOnceWhenCancelled() async throws {
      let start = try await store.changes(after: nil, timeout: .zero).position
      let reader = Task { [store] in
        await outcome { try await store.changes(after: start, timeout: .seconds(60)) }
      }
      try await blocked(1, at: server)
      reader.cancel()
      #expect(await reader.value == .cancelled)
      try await blocked(0, at: server)
      await store.close()
    }

    @Test func closingFailsWhoWaits() async throws {
      let start = try await store.changes(after: nil, timeout: .zero).position
      let reader = Task { [store] in
        await outcome { try await store.changes(after: start, timeout: .seconds(60)) }
      }
      try await blocked(1, at: server)
      await store.close()
      #expect(isUnavailable(await reader.value))
      let late = await outcome { try await store.invalidate([]) }
      #expect(isUnavailable(late))
      let reading = await outcome {
        try await store.changes(after: start, timeout: .seconds(60))
      }
      #expect(isUnavailable(reading))
    }

    @Test func theLogIsReadInPagesAndAfterItsBeginningIsGoneThereIsAGap() async throws {
      var configuration = RedisStoreConfiguration()
      configuration.logLength = 400
      let store = RedisStore(server.endpoint, namespace: "short", configuration: configuration)
      let start = try await store.changes(after: nil, timeout: .zero).position
      for number in 0..<300 { _ = try await store.invalidate([SharedMark("\(number)")]) }
      var position = start
      var marks: [SharedMark] = []
      while marks.count < 300 {
        let changes = try await store.changes(after: position, timeout: .seconds(60))
        #expect(!changes.isGap)
        for message in changes.messages {
          if case .invalidated(let some) = message.kind { marks += some }
        }
        position = changes.position
      }
      #expect(marks == (0..<300).map { SharedMark("\($0)") })
      for number in 300..<1_000 { _ = try await store.invalidate([SharedMark("\(number)")]) }
      let late = try await store.changes(after: start, timeout: .seconds(60))
      #expect(late.isGap)
      #expect(late.messages == [])
      let next = try await store.changes(after: late.position, timeout: .zero)
      #expect(next == SharedChanges(messages: [], position: late.position))
      await store.close()
    }

    @Test func namespacesNeverMeet() async throws {
      let other = RedisStore(server.endpoint, namespace: "test}:sq1:e:user")
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      let lease = try await lead(other, key)
      _ = try await other.invalidate(key.marks)
      guard case .entry = try await ask(store, key) else {
        Issue.record("the entry is gone")
        return
      }
      #expect(try await store.renew(lease, for: .seconds(1)) == false)
      await other.close()
      await store.close()
    }

    @Test func theLeaseOfWhoLeftBeforeItCameIsGivenBack() async throws {
      let proxy = try TestProxy(to: server.port)
      let far = RedisStore(proxy.endpoint, namespace: "test")
      // So that the script is known, and the next call is one round.
      _ = try await far.changes(after: nil, timeout: .zero)
      let warm = try await lead(far, SharedKey("warm", marks: []))
      try await far.abandon(warm, failure: nil)
      let start = try await store.changes(after: nil, timeout: .zero).position
      proxy.set(.delays(milliseconds: 100))
      let leaver = Task { [key] in
        await outcome { try await far.begin(key, maxAge: nil, lease: .seconds(60)) }
      }
      // Until the server has given the lease.
      while try await tell(server, "EXISTS", "{test}:sq1:l:user:1") != .integer(1) {}
      leaver.cancel()
      #expect(await leaver.value == .cancelled)
      let changes = try await store.changes(after: start, timeout: .seconds(60))
      #expect(changes.messages.map(\.kind) == [.abandoned(key: "user:1", failure: nil)])
      _ = try await lead(store, key)
      await far.close()
      await store.close()
    }

    @Test func whatIsTooLargeIsNotSent() async throws {
      let long = SharedKey(String(repeating: "k", count: 50_000), marks: [])
      let refused = await outcome { try await store.begin(long, maxAge: nil, lease: .seconds(1)) }
      #expect(refused == .tooLarge(bytes: 50_000, limit: 49_152))
      let marks = (0..<5_000).map { _ in SharedMark("") }
      let many = await outcome { try await store.invalidate(marks) }
      #expect(many == .tooLarge(bytes: 80_000, limit: 49_152))
      let large = SharedValue([UInt8](repeating: 0, count: 2 << 20), form: "f")
      let written = await outcome { try await store.write(large, for: key, lifetime: .seconds(1)) }
      #expect(written == .tooLarge(bytes: 2 << 20, limit: (1 << 20) + 1_024))
      let form = SharedValue([], form: String(repeating: "f", count: 2_000))
      let formed = await outcome { try await store.write(form, for: key, lifetime: .seconds(1)) }
      #expect(formed == .tooLarge(bytes: 2_000, limit: 1_024))
      await store.close()
    }

    @Test func theLargestThatIsAllowedPasses() async throws {
      var configuration = RedisStoreConfiguration()
      configuration.keyLimit = .max
      let store = RedisStore(server.endpoint, namespace: "large", configuration: configuration)
      let marks = (0..<3_000).map { SharedMark("\($0)") }.prefix(2_300)
      let key = SharedKey("k", marks: Array(marks))
      let value = SharedValue([UInt8](repeating: 7, count: 1 << 20), form: "")
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      guard case .entry(let entry) = try await ask(store, key) else {
        Issue.record("no entry")
        return
      }
      #expect(entry.value == value)
      _ = try await store.invalidate(Array(marks))
      _ = try await lead(store, key)
      await store.close()
    }

    @Test func aStoreWithALowerLimitTakesLargeValuesForMissing() async throws {
      var configuration = RedisStoreConfiguration()
      configuration.valueLimit = 2
      let small = RedisStore(server.endpoint, namespace: "test", configuration: configuration)
      _ = try await store.write(value, for: key, lifetime: .seconds(60))
      _ = try await lead(small, key)
      await small.close()
      await store.close()
    }
  }
}
