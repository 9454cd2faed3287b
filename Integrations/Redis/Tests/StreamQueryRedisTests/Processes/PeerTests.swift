import Foundation
import RedisServers
import Testing

@testable import StreamQueryRedis

@Suite struct PeerEventTests {
  @Test func aReadIsStaleIfTheChangeWasKnownForLongerThanTheBound() {
    let events = [
      PeerEvent("a", at: 100, .changed(1)), PeerEvent("a", at: 109, .read(0)),
      PeerEvent("a", at: 110, .read(0)), PeerEvent("a", at: 120, .read(1)),
      PeerEvent("b", at: 120, .read(0)), PeerEvent("a", at: 99, .changed(2)),
      PeerEvent("a", at: 111, .failed("x")),
    ]
    #expect(
      events.stale(beyond: .nanoseconds(10))
        == [
          PeerEvent("a", at: 109, .read(0)), PeerEvent("a", at: 110, .read(0)),
          PeerEvent("a", at: 120, .read(1)),
        ]
    )
    #expect(events.stale(beyond: .seconds(1)) == [])
    #expect(events.answered == 4)
    #expect(events.changes == ["a": 2])
    #expect(events.failures == ["x"])
  }

  @Test func aLineIsAnEvent() {
    #expect(PeerEvent("read k 5 7") == PeerEvent("k", at: 5, .read(7)))
    #expect(PeerEvent("changed k 5 7") == PeerEvent("k", at: 5, .changed(7)))
    #expect(PeerEvent("failed k 5 no way") == PeerEvent("k", at: 5, .failed("no way")))
    #expect(PeerEvent("read k") == nil)
  }
}

extension ServerSuite {
  /// Four processes with 10,000 requests each, which share a server.
  @Suite struct PeerTests {
    let store: TestServer
    let upstream: TestServer

    init() throws {
      store = try TestServer()
      upstream = try TestServer()
    }

    private func peers(_ plan: PeerProcess.Plan) throws -> [PeerProcess] {
      try (0..<4).map { try PeerProcess(plan, number: $0, store: store, upstream: upstream) }
    }

    /// How often each key was fetched.
    private func calls(_ keys: Int, prefix: String = "k") async throws -> [String: Int] {
      let connection = RedisConnection(upstream.endpoint)
      var result: [String: Int] = [:]
      for number in 0..<keys {
        let reply = try await connection.send(RedisCommand("GET", "calls:\(prefix)\(number)"))
        result["\(prefix)\(number)"] = Int(reply.number ?? 0)
      }
      await connection.close()
      return result
    }

    @Test func theUpstreamSeesOneRequestPerKey() async throws {
      let peers = try peers(PeerProcess.Plan())
      for peer in peers { try peer.go() }
      let events = try peers.flatMap { try $0.seen() }
      #expect(events.failures == [])
      #expect(events.answered == 40_000)
      let calls = try await calls(50)
      #expect(calls.values.allSatisfy { $0 == 1 }, "\(events.told)")
    }

    @Test func requestsThatComeBeforeTheLogIsReadAreAnsweredToo() async throws {
      let peers = try peers(PeerProcess.Plan(waits: false))
      for peer in peers { try peer.go() }
      let events = try peers.flatMap { try $0.seen() }
      #expect(events.failures == [])
      #expect(events.answered == 40_000)
      let calls = try await calls(50)
      #expect(calls.values.allSatisfy { $0 == 1 }, "\(calls) \(events.told)")
    }

    @Test func theUpstreamSeesOneRequestPerKeyAndChangeAndNobodyReadsWhatIsTooOld() async throws {
      let plan = PeerProcess.Plan(changes: 100, pause: .milliseconds(20))
      let peers = try peers(plan)
      for peer in peers { try peer.go() }
      let events = try peers.flatMap { try $0.seen() }
      #expect(events.failures == [])
      #expect(events.answered == 40_000)
      let changes = events.changes
      #expect(changes.values.reduce(0, +) == 400)
      let calls = try await calls(50)
      let excess = calls.mapValues { $0 - 1 }.merging(changes) { $0 - $1 }.filter { $0.value > 0 }
      #expect(excess == [:], "\(events.told)")
      #expect(events.stale(beyond: .seconds(2)) == [])
      // A change is seen when its message arrives, and not when trust ends. A process of a busy
      // machine may have to wait for its turn.
      #expect(events.stale(beyond: .milliseconds(250)).count <= 40)
    }

    @Test func aLeaderThatIsKilledIsReplacedWhenItsLeaseEnds() async throws {
      let peers = try peers(PeerProcess.Plan(requests: 500, keys: 1, prefix: "hang"))
      for peer in peers { try peer.go() }
      let reply = try await tell(upstream, "BLPOP", "hanging", "25")
      let id = try #require(reply.elements?.last?.number)
      let leader = try #require(peers.first { UInt64($0.id) == id })
      leader.kill()
      let events = try peers.filter { $0 !== leader }.flatMap { try $0.seen() }
      #expect(events.failures == [])
      #expect(events.answered == 1_500)
      #expect(try await calls(1, prefix: "hang") == ["hang0": 2])
    }

    @Test func whileTheServerIsAwayAllRequestsAreAnsweredAndNoneTooOld() async throws {
      let plan = PeerProcess.Plan(changes: 500, pause: .milliseconds(40))
      let peers = try peers(plan)
      for peer in peers { try peer.go() }
      // Each has begun when the upstream was asked for as many keys as there are.
      var asked = 0
      while asked < 40 { asked = try await calls(50).values.count { $0 > 0 } }
      store.kill()
      let away = try await calls(50).values.reduce(0, +)
      while try await calls(50).values.reduce(0, +) < away + 100 {}
      try store.start()
      let events = try peers.flatMap { try $0.seen() }
      #expect(events.failures == [])
      #expect(events.answered == 40_000)
      // The trust in data without a log is two seconds, and a round of the log half a second.
      #expect(events.stale(beyond: .seconds(4)) == [])
    }
  }
}
