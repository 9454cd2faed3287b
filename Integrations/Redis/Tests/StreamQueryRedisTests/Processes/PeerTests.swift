import Foundation
import RedisServers
import StreamQuery
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

struct PeerEventTests {
  private func read(
    _ key: String,
    at time: UInt64,
    _ version: UInt64,
    until end: UInt64? = nil,
    by process: Int = 0
  ) -> PeerEvent {
    PeerEvent(key, at: time, .read(version, until: end ?? time), by: process)
  }

  @Test func aReadIsStaleIfTheMessageOfTheChangeMustHaveCome() {
    let events = [
      PeerEvent("a", at: 100, .changed(1)), read("a", at: 109, 0), read("a", at: 110, 0),
      read("a", at: 120, 1), read("b", at: 120, 0), PeerEvent("a", at: 99, .changed(2)),
      read("a", at: 108, 0), PeerEvent("a", at: 111, .failed("x")),
    ]
    #expect(
      events.stale(hearingWithin: .nanoseconds(10))
        == [read("a", at: 109, 0), read("a", at: 110, 0), read("a", at: 120, 1)]
    )
    #expect(events.stale(hearingWithin: .seconds(1)) == [])
    // As slow and as late as its own process.
    let busy = [
      PeerEvent("-", at: 900, .slow(1)), PeerEvent("-", at: 900, .late(4)),
      PeerEvent("-", at: 900, .slow(800), by: 1), PeerEvent("-", at: 900, .late(800), by: 1),
    ]
    #expect((busy + events).stale(hearingWithin: .nanoseconds(10)) == [read("a", at: 120, 1)])
    #expect(events.answered == 5)
    #expect(events.changes == ["a": 2])
    #expect(events.failures == ["x"])
  }

  @Test func aReadWentBackIfItsProcessKnewMoreWhenItBegan() {
    let before = [read("a", at: 100, 2, until: 110), PeerEvent("b", at: 105, .changed(7))]
    let fine = [
      // Both were under way at once; another process; another key.
      read("a", at: 109, 1, until: 120), read("a", at: 200, 1, by: 1), read("c", at: 200, 1),
      read("b", at: 104, 6), read("b", at: 105, 7), read("a", at: 110, 2),
    ]
    #expect((before + fine).wentBack == [])
    let back = [read("a", at: 110, 1, until: 130), read("b", at: 105, 6)]
    #expect(Set((back + fine + before).wentBack.map(\.key)) == ["a", "b"])
    #expect((back + fine + before).wentBack.count == 2)
  }

  private func landed(
    _ key: String,
    at end: UInt64,
    _ version: UInt64,
    since start: UInt64,
    by process: Int = 0
  ) -> PeerEvent {
    PeerEvent(key, at: start, .landed(version, at: end), by: process)
  }

  @Test func aVersionIsTrustedFromItsEndOrItsLandingAndForAsLongAsTimersAreLate() {
    let events = [
      PeerEvent("a", at: 100, .changed(1)), PeerEvent("a", at: 103, .changed(2)),
      // Under way at the change on the process 1; the data of the process 0 is from before.
      landed("a", at: 150, 0, since: 99, by: 1), landed("a", at: 50, 0, since: 40),
      landed("a", at: 170, 1, since: 101, by: 1),
      // It landed after it had been served.
      PeerEvent("b", at: 100, .changed(1)), landed("b", at: 150, 0, since: 99),
      PeerEvent("-", at: 900, .late(3), by: 1), PeerEvent("-", at: 900, .late(0)),
    ]
    let fine = [
      read("a", at: 109, 0), read("a", at: 165, 0, by: 1), read("a", at: 185, 1, by: 1),
      read("a", at: 112, 1), read("a", at: 900, 2), read("b", at: 159, 0),
    ]
    #expect((events + fine).stale(trusting: .nanoseconds(10)) == [])
    let late = [
      read("a", at: 110, 0), read("a", at: 166, 0, by: 1), read("a", at: 186, 1, by: 1),
      read("a", at: 113, 1), read("b", at: 149, 0),
    ]
    #expect((late + events + fine).stale(trusting: .nanoseconds(10)) == late)
    #expect(events.outdatedFetches == [])
    let outdated = [
      landed("a", at: 150, 0, since: 101, by: 1), landed("a", at: 150, 1, since: 104),
    ]
    #expect((events + outdated).outdatedFetches == outdated)
  }

  @Test func dataIsAsOldAsItsAnswer() {
    let events = [
      PeerEvent("a", at: 100, .answered(1, at: 110)),
      PeerEvent("a", at: 130, .answered(2, at: 140), by: 1),
      PeerEvent("-", at: 900, .late(3)), PeerEvent("-", at: 900, .late(0), by: 1),
      PeerEvent("-", at: 900, .slow(1)), PeerEvent("-", at: 900, .slow(2), by: 1),
    ]
    let fine = [read("a", at: 132, 1), read("a", at: 159, 2), read("a", at: 90, 2)]
    #expect((events + fine).stale(after: .nanoseconds(20)) == [])
    let stale = [read("a", at: 133, 1, by: 1), read("a", at: 160, 2), read("a", at: 50, 3)]
    #expect((stale + events + fine).stale(after: .nanoseconds(20)) == stale)
    // Three times the slowest call of all.
    #expect(events.early(within: .nanoseconds(26)) == [])
    #expect(events.early(within: .nanoseconds(27)) == [events[1]])
    let lost = [PeerEvent("b", at: 900, .answered(2, at: 910))]
    #expect((events + lost).early(within: .nanoseconds(20)) == lost)
  }

  @Test func whatWasToldIsCountedByKey() {
    let told = ["leads(k1)", "leads(k1)", "alone(k1)", "refused commit"].map {
      PeerEvent("k1", at: 1, .told($0))
    }
    #expect(told.told("leads") == ["k1": 2])
    #expect(told.told("alone", "refused") == ["k1": 2])
    #expect(told.told("committed") == [:])
  }

  @Test func aLineIsAnEvent() {
    #expect(PeerEvent("landed k 5 7 9", by: 3) == landed("k", at: 9, 7, since: 5, by: 3))
    #expect(PeerEvent("late - 5 7", by: 3) == PeerEvent("-", at: 5, .late(7), by: 3))
    #expect(PeerEvent("read k 5 7 9", by: 3) == read("k", at: 5, 7, until: 9, by: 3))
    #expect(PeerEvent("changed k 5 7") == PeerEvent("k", at: 5, .changed(7)))
    #expect(PeerEvent("failed k 5 no way") == PeerEvent("k", at: 5, .failed("no way")))
    #expect(PeerEvent("failed k 5 7 9") == PeerEvent("k", at: 5, .failed("7 9")))
    #expect(PeerEvent("read k") == nil)
  }
}

extension ServerSuite {
  /// Four processes with 10,000 requests each, which share a server.
  @Suite(.timeLimit(.minutes(2))) struct PeerTests {
    let store: TestServer
    let upstream: TestServer

    init() throws {
      store = try TestServer()
      upstream = try TestServer()
    }

    private func peers(
      _ plan: PeerProcess.Plan,
      through proxies: [TestProxy] = []
    ) throws -> [PeerProcess] {
      try (0..<4).map { number in
        let port = proxies.isEmpty ? store.port : proxies[number % proxies.count].port
        return try PeerProcess(plan, number: number, store: port, upstream: upstream)
      }
    }

    /// What is counted under a name at the upstream.
    private func count(_ name: String) async throws -> Int {
      Int(try await tell(upstream, "GET", name).number ?? 0)
    }

    /// Waits until something was counted so often.
    private func reach(_ count: Int, _ name: String = "progress") async throws {
      while try await self.count(name) < count { try await moment() }
    }

    /// Lets the peers work for a moment; the upstream has the clock.
    private func moment() async throws {
      try await tell(upstream, "BLPOP", "nobody", "0.02")
      try Task.checkCancellation()
    }

    /// What is so in every run.
    private func expectAnswered(_ events: [PeerEvent], _ count: Int = 40_000) {
      #expect(events.failures == [])
      #expect(events.answered == count)
      #expect(events.wentBack == [], "\(events.told)")
    }

    /// That nothing is older than is promised, with a trust of two seconds.
    private func expectTrusted(_ events: [PeerEvent]) {
      let lateness = events.lateness
      #expect(lateness.count == 4)
      #expect(events.stale(trusting: .seconds(2)) == [], "\(lateness) \(events.told)")
      #expect(events.outdatedFetches == [], "\(events.told)")
    }

    /// That the upstream got no request without a reason, whatever happened to connections.
    ///
    /// Each request has a lease of its own, or was made by a machine that gave up the store. A lease of a
    /// key is given where there is neither an entry nor a lease. So the first is followed by another one
    /// only if something ended what was there: a change, whose message each machine sends until it is
    /// acknowledged; a lease that was given back or whose holder was late; or one that nobody knows to
    /// have, since an answer was lost. And a machine that has fetched for itself takes no older entry.
    private func expectCounted(_ events: [PeerEvent], _ calls: [String: Int]) {
      let (leads, alone) = (events.told("leads"), events.told("alone"))
      let made = leads.merging(alone, uniquingKeysWith: +)
      #expect(calls.filter { $0.value > 0 } == made, "\(events.told)")
      let endings = events.told("ended by")
      let excuses = events.told("unanswered", "refused", "given back").merging(
        alone,
        uniquingKeysWith: +
      )
      let excess = leads.filter { key, count in
        count > 1 + (endings[key] ?? 0) + (excuses[key] ?? 0)
      }
      #expect(excess == [:], "\(endings) \(excuses) \(events.told)")
    }

    /// How many requests more than one, and one for each change, there were for each key.
    private func excess(_ calls: [String: Int], _ changes: [String: Int]) -> [String: Int] {
      calls.merging(changes) { $0 - $1 }.mapValues { $0 - 1 }.filter { $0.value > 0 }
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
      expectAnswered(events)
      let calls = try await calls(50)
      #expect(calls.values.allSatisfy { $0 == 1 }, "\(events.told)")
    }

    @Test func requestsThatComeBeforeTheLogIsReadAreAnsweredToo() async throws {
      let peers = try peers(PeerProcess.Plan(waits: false))
      for peer in peers { try peer.go() }
      let events = try peers.flatMap { try $0.seen() }
      expectAnswered(events)
      let calls = try await calls(50)
      #expect(calls.values.allSatisfy { $0 == 1 }, "\(calls) \(events.told)")
    }

    /// Changes are told of by query, or each key's by query, prefix, tag or write.
    @Test(arguments: [false, true])
    func theUpstreamSeesOneRequestPerKeyAndChangeAndNobodyReadsWhatIsTooOld(
      isMixed: Bool
    ) async throws {
      let plan = PeerProcess.Plan(changes: 100, isMixed: isMixed, pause: .milliseconds(20))
      let peers = try peers(plan)
      for peer in peers { try peer.go() }
      let events = try peers.flatMap { try $0.seen() }
      expectAnswered(events)
      let changes = events.changes
      // Of the keys that are written, each process changes a quarter.
      let count = changes.values.reduce(0, +)
      if isMixed { #expect(count > 250) } else { #expect(count == 400) }
      #expect(excess(try await calls(50), changes) == [:], "\(events.told)")
      expectTrusted(events)
      // A change is seen when its message arrives, and not when trust ends.
      #expect(events.stale(hearingWithin: .milliseconds(250)) == [], "\(events.lateness)")
    }

    @Test func aChangeMayFollowEachRequest() throws {
      let plan = PeerProcess.Plan(requests: 100, changes: 1)
      let peer = try PeerProcess(plan, number: 0, store: store.port, upstream: upstream)
      try peer.go()
      let events = try peer.seen()
      #expect(events.failures == [])
      #expect(events.answered == 100)
      #expect(events.changes.values.reduce(0, +) == 100)
    }

    @Test func theUpstreamSeesOneRequestPerKeyAndPeriodOfFreshness() async throws {
      var plan = PeerProcess.Plan(keys: 20, pause: .milliseconds(50), staleTime: .seconds(3))
      plan.prefix = "count"
      let peers = try peers(plan)
      for peer in peers { try peer.go() }
      let events = try peers.flatMap { try $0.seen() }
      expectAnswered(events)
      #expect(events.stale(after: .seconds(3)) == [], "\(events.lateness)")
      #expect(events.early(within: .seconds(3)) == [], "\(events.told)")
      // Three periods at least.
      let calls = try await calls(20, prefix: "count")
      #expect(calls.values.allSatisfy { $0 >= 3 }, "\(calls) \(events.told)")
    }

    @Test func aLeaderThatIsKilledIsReplacedWhenItsLeaseEnds() async throws {
      let peers = try peers(
        PeerProcess.Plan(requests: 500, keys: 1, lease: .seconds(2), prefix: "hang")
      )
      for peer in peers { try peer.go() }
      let reply = try await tell(upstream, "BLPOP", "hanging", "25")
      let id = try #require(reply.elements?.last?.number)
      let leader = try #require(peers.first { UInt64($0.id) == id })
      leader.kill()
      let events = try peers.filter { $0 !== leader }.flatMap { try $0.seen() }
      expectAnswered(events, 1_500)
      #expect(try await calls(1, prefix: "hang") == ["hang0": 2])
    }

    @Test func whatALeaderBringsThatStoodStillIsNeitherStoredNorServed() async throws {
      var plan = PeerProcess.Plan(keys: 1, pause: .milliseconds(20), prefix: "slow")
      plan.lease = .seconds(2)
      let peers = try peers(plan)
      for peer in peers { try peer.go() }
      let reply = try await tell(upstream, "BLPOP", "hanging", "25")
      let id = try #require(reply.elements?.last?.number)
      let leader = try #require(peers.first { UInt64($0.id) == id })
      leader.pause()
      // Its lease ends, and another one leads.
      try await reach(2, "calls:slow0")
      try await tell(upstream, "INCR", "version:slow0")
      try await invalidateAll()
      let changed = DispatchTime.now().uptimeNanoseconds
      try await reach(3, "calls:slow0")
      try await tell(upstream, "SET", "go", "1")
      leader.proceed()
      let events = try peers.map { try $0.seen() }
      expectAnswered(events.flatMap { $0 })
      #expect(try await count("calls:slow0") == 3, "\(events.map(\.told))")
      let late = try #require(peers.firstIndex { $0 === leader })
      // What it got before it stood still is version 0.
      let versions = events[late].compactMap { event in
        if case .read(let version, _) = event.kind { version } else { nil }
      }
      #expect(Set(versions) == [1])
      let change = [PeerEvent("slow0", at: changed, .changed(1))]
      #expect((events.flatMap { $0 } + change).stale(hearingWithin: .seconds(1)) == [])
    }

    /// Invalidates everything that the peers share.
    private func invalidateAll() async throws {
      let store = RedisStore(store.endpoint, namespace: "peers")
      let client = QueryClient()
      var configuration = SharedCacheConfiguration(namespace: "peers")
      configuration.timeout = .seconds(10)
      try await SharedCache(store, for: client, configuration).invalidate(prefix: [])
      await store.close()
    }

    @Test func whileTheServerIsAwayAllRequestsAreAnsweredAndNoneTooOld() async throws {
      var plan = PeerProcess.Plan(changes: 500, pause: .milliseconds(40))
      plan.lease = .seconds(2)
      let peers = try peers(plan)
      for peer in peers { try peer.go() }
      try await reach(80)
      store.kill()
      let away = try await calls(50).values.reduce(0, +)
      while try await calls(50).values.reduce(0, +) < away + 100 { try await moment() }
      try store.start()
      // Each has noticed that it is back. It has another history, so that all is fetched again, once.
      try await reach(4, "back")
      let now = DispatchTime.now().uptimeNanoseconds
      let before = try await calls(50)
      let events = try peers.flatMap { try $0.seen() }
      expectAnswered(events)
      expectTrusted(events)
      let later = try await calls(50).merging(before) { $0 - $1 }
      // A change that was told of at that moment may be fetched after it.
      let changes = events.filter { $0.time + 1_000_000_000 >= now }.changes
      let excess = excess(later, changes)
      // One that has not noticed yet may ask for itself while another leads. If each asked for itself
      // once, it would be 150.
      #expect(excess.values.reduce(0, +) <= 30, "\(excess) of \(later), \(events.told)")
    }

    @Test func overSlowAndCutConnectionsAndAPausedServerNobodyReadsWhatIsTooOld() async throws {
      let proxies = try [TestProxy(to: store.port), TestProxy(to: store.port)]
      var plan = PeerProcess.Plan(changes: 250, isMixed: true, pause: .milliseconds(40))
      plan.lease = .seconds(2)
      let peers = try peers(plan, through: proxies)
      for peer in peers { try peer.go() }
      // Of 400 steps: half of the machines have a slow or broken connection, then all of them.
      let modes: [TestProxy.Mode] = [
        .delays(milliseconds: 30), .cuts, .passes, .drips(milliseconds: 1), .passes, .swallows,
        .passes, .cutsAnswers(after: 5_000), .passes,
      ]
      var step = 20
      for mode in modes {
        try await reach(step)
        proxies[0].set(mode)
        step += 20
      }
      try await reach(step)
      for proxy in proxies { proxy.set(.cuts) }
      try await reach(step + 20)
      for proxy in proxies { proxy.set(.passes) }
      try await reach(step + 60)
      store.pause()
      try await reach(step + 90)
      store.proceed()
      let events = try peers.flatMap { try $0.seen() }
      expectAnswered(events)
      expectTrusted(events)
      expectCounted(events, try await calls(50))
      #expect(events.told.keys.contains { $0.hasPrefix("storeAway") }, "\(events.told)")
    }
  }
}
