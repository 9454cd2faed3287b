import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// What the log costs its server.
  @Suite(.timeLimit(.minutes(1))) struct RedisLogCostTests {
    let server: TestServer

    init() throws { server = try TestServer() }

    @Test func aMachineThatReadsTheLogSendsTwoCommandsForAMessage() async throws {
      let store = RedisStore(server.endpoint, namespace: "n")
      let other = RedisStore(server.endpoint, namespace: "n")
      var position = try await store.changes(after: nil, timeout: .zero).position
      _ = try await other.invalidate([SharedMark("first")])
      position = try await store.changes(after: position, timeout: .seconds(20)).position
      try await tell(server, "CONFIG", "RESETSTAT")
      for number in 1...50 {
        let start = position
        async let reading = store.changes(after: start, timeout: .seconds(20))
        if number.isMultiple(of: 2) { try await blocked(1, at: server) }
        _ = try await other.invalidate([SharedMark("\(number)")])
        let changes = try await reading
        #expect(changes.messages.map(\.kind) == [.invalidated([SharedMark("\(number)")])])
        position = changes.position
      }
      // The other half of the scripts are the invalidations. On a busy machine one may be sent again.
      #expect(try await calls(server, "evalsha") <= 110)
      #expect(try await calls(server, "xread") <= 55)
      await store.close()
      await other.close()
    }

    /// A proxy may not know the command that waits.
    @Test func aServerThatRefusesToWaitIsAskedNowAndThen() async throws {
      let server = try TestServer(options: ["--rename-command", "XREAD", "NOXREAD"])
      let store = RedisStore(server.endpoint, namespace: "n")
      _ = try await store.invalidate([SharedMark("first")])
      let position = try await store.changes(after: nil, timeout: .zero).position
      try await tell(server, "CONFIG", "RESETSTAT")
      let changes = try await store.changes(after: position, timeout: .milliseconds(500))
      #expect(changes.messages.isEmpty && !changes.isGap)
      #expect(try await calls(server, "evalsha") < 20)
      await store.close()
    }

    @Test func whoWaitsAtTheEndOfAFlushedLogSeesTheGap() async throws {
      let store = RedisStore(server.endpoint, namespace: "n")
      _ = try await store.invalidate([SharedMark("first")])
      let position = try await store.changes(after: nil, timeout: .zero).position
      try await tell(server, "FLUSHALL")
      #expect(try await store.changes(after: position, timeout: .seconds(20)).isGap)
      await store.close()
    }
  }
}
