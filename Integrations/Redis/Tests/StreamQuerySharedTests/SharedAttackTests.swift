import StreamQuery
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

@testable import StreamQueryShared

/// What somebody found who looked for wrong answers.
struct SharedAttackTests {
  let world = World()

  @Test func aRefetchDoesNotTakeWhatWasAskedForBefore() throws {
    let (first, second) = (world.machine(), world.machine())
    let query = world.query(second)
    _ = world.value(second, query)
    world.advance(61)
    world.duration.value = .seconds(4)
    let older = world.start(first)
    world.advance(2)
    world.truth.value = 2
    let client = second.client
    world.simulation.task("invalidate") { await client.invalidate(query) }
    world.simulation.settle()
    let newer = world.start(second, query)
    world.advance(20)
    #expect(older.value == 1)
    #expect(newer.value == 2)
    #expect(second.story.suffix(3) == ["follows", "leads", "committed"])
  }

  @Test func manyWhoAskAnewMakeOneRequest() throws {
    let machines = (0..<5).map { _ in world.machine() }
    world.duration.value = .seconds(4)
    let older = world.start(machines[0])
    world.advance(2)
    world.truth.value = 2
    let newer = machines.dropFirst().map { machine in
      let query = world.query(machine)
      let client = machine.client
      client.setData(0, for: query)
      world.simulation.task("invalidate") { await client.invalidate(query) }
      world.simulation.settle()
      return world.start(machine, query)
    }
    world.advance(20)
    #expect(older.value == 1)
    #expect(newer.map(\.value) == [2, 2, 2, 2])
    #expect(world.requests.value == 2)
  }

  @Test func whoFollowsLearnsAtOnceThatTheStoreIsAway() throws {
    let (first, second) = (world.machine(), world.machine())
    world.duration.value = .seconds(2)
    let leader = world.start(first)
    let follower = world.start(second)
    world.advance(0.5)
    first.link.fault.value = .away
    second.link.fault.value = .away
    world.advance(5)
    #expect([leader.value, follower.value] == [1, 1])
    #expect(second.story.contains("alone: storeAway"))
  }

  @Test func dataThatIsOnlyHereIsNotSharedBecauseUpstreamFoundNoChange() throws {
    let (first, second) = (world.machine(), world.machine())
    let isKept = Dial(false)
    func query(_ machine: Machine) -> Query<Int> {
      Query<Int>("rates", "kept") {
        if isKept.value { throw NotModified() }
        return 1
      }.staleTime(.seconds(60)).shared(through: machine.cache)
    }
    #expect(world.value(first, query(first)) == 1)
    // What the store has is shared again.
    isKept.value = true
    world.advance(61)
    #expect(world.value(first, query(first)) == 1)
    #expect(world.value(second, query(second)) == 1)
    #expect(second.story == ["hit"])
    first.client.setData(99, for: query(first))
    world.advance(61)
    #expect(world.value(first, query(first)) == 99)
    isKept.value = false
    #expect(world.value(second, query(second)) == 1)
  }

  @Test func aServerWhoseClockIsBehindMakesNoHerd() throws {
    let isAhead = Dial(true)
    let machines = (0..<6).map { _ in world.machine() }
    for machine in machines {
      machine.link.beginning.value = { beginning in
        guard case .entry(var entry) = beginning, isAhead.value else { return beginning }
        entry.version.milliseconds += 3_600_000
        return .entry(entry)
      }
    }
    _ = world.value(machines[5])
    for machine in machines.dropLast() { _ = world.value(machine) }
    #expect(world.requests.value == 1)
    isAhead.value = false
    world.store.forget()
    world.advance(20)
    for machine in machines { _ = world.value(machine) }
    #expect(world.requests.value == 2)
  }

  @Test func aWriteReachesMachinesWithAnotherForm() throws {
    let (old, new) = (world.machine(), world.machine())
    let queries = [world.query(old, form: "1"), world.query(new, form: "2")]
    #expect([world.value(old, queries[0]), world.value(new, queries[1])] == [1, 1])
    world.truth.value = 2
    try world.simulation.run { [cache = new.cache, query = queries[1]] in
      try await cache.write(2, for: query)
    }
    world.advance(1)
    #expect([world.value(old, queries[0]), world.value(new, queries[1])] == [2, 2])
    #expect(world.requests.value == 3)
  }

  @Test func theTagsOfAKeyThatIsTooLongAreWatched() throws {
    let (first, second) = (world.machine(), world.machine())
    let name = String(repeating: "x", count: 5_000)
    let queries = [first, second].map { world.query($0, name, tags: ["t"]) }
    #expect([world.value(first, queries[0]), world.value(second, queries[1])] == [1, 1])
    try world.simulation.run { [cache = first.cache] in try await cache.invalidate(tags: "t") }
    world.advance(1)
    #expect([first.client.isStale(queries[0]), second.client.isStale(queries[1])] == [true, true])
    #expect(second.story == ["alone: unshareable"])
  }

  @Test func anInvalidationTakesEffectHereBeforeTheStoreAnswers() throws {
    let first = world.machine()
    let query = world.query(first)
    _ = world.value(first, query)
    first.link.fault.value = .hanging
    let cache = first.cache
    world.simulation.task("invalidate") { try? await cache.invalidate(query) }
    world.simulation.settle()
    #expect(first.client.isStale(query))
  }

  @Test func aClientServesOneNamespaceOnly() throws {
    let client = QueryClient(simulation: world.simulation, configuration: .server)
    let first = SharedCacheConfiguration(namespace: "a")
    _ = try SharedCache(world.store, for: client, first)
    _ = try SharedCache(world.store, for: client, first)
    #expect(throws: SharedCacheError.otherNamespace("b", client: "a")) {
      try SharedCache(world.store, for: client, SharedCacheConfiguration(namespace: "b"))
    }
    client.shutDown()
  }

  @Test func aQueryThatNamesNoCacheIsSharedThroughThatOfItsClient() throws {
    let requests = Dial(0)
    let query = Query("n") { () async throws -> Int in
      requests.with { count in
        count += 1
        return count
      }
    }
    .staleTime(.minutes(1)).shared(tags: ["t"])
    let clients = (0..<5).map { _ in
      QueryClient(simulation: world.simulation, configuration: .server)
    }
    var caches: [SharedCache] = []
    // Two machines of each of two tenants, and one without a cache.
    for (client, namespace) in zip(clients, ["a", "a", "b", "b"]) {
      let settings = SharedCacheConfiguration(namespace: namespace)
      caches.append(try SharedCache(world.store, for: client, settings))
    }
    let seen = try clients.map { client in
      try world.simulation.run { try await client.fetch(query) }
    }
    #expect(seen == [1, 1, 2, 2, 3])
    // It is the client's cache that the query is invalidated in, by its tag as well.
    let second = caches[1]
    try world.simulation.run { try await second.invalidate(tags: "t") }
    let again = try clients[..<2].map { client in
      client.markInvalidated(.query(query), refetch: .never)
      return try world.simulation.run { try await client.fetch(query) }
    }
    #expect(again.allSatisfy { $0 > 3 })
    for client in clients { client.shutDown() }
  }

  @Test func theFirstCacheOfAClientThatIsStillThereCounts() throws {
    let (client, alone) = (
      QueryClient(simulation: world.simulation, configuration: .server),
      QueryClient(simulation: world.simulation, configuration: .server)
    )
    let events = Dial<[String]>([])
    let make = { [world] (name: String) throws -> SharedCache in
      var settings = SharedCacheConfiguration(namespace: "a")
      settings.onEvent = { event in events.with { $0.append("\(name) \(event.line)") } }
      return try SharedCache(world.store, for: client, settings)
    }
    var caches: [SharedCache?] = [try make("A"), try make("B"), try make("C")]
    func fetch(_ client: QueryClient) throws -> Int {
      let query = Query("n") { 7 }.shared(tags: ["t"])
      return try world.simulation.run { try await client.fetch(query) }
    }
    #expect(try fetch(client) == 7)
    #expect(events.value == ["A leads", "A committed"])
    // The client keeps none of them.
    caches[0] = nil
    events.value = []
    #expect(try fetch(client) == 7)
    #expect(events.value.allSatisfy { $0.hasPrefix("B ") })
    #expect(!events.value.isEmpty)
    // One that is made later comes after those that are there.
    caches.append(try make("D"))
    caches[1] = nil
    events.value = []
    #expect(try fetch(client) == 7)
    #expect(events.value.allSatisfy { $0.hasPrefix("C ") })
    #expect(!events.value.isEmpty)
    caches[2] = nil
    events.value = []
    #expect(try fetch(client) == 7)
    #expect(events.value.allSatisfy { $0.hasPrefix("D ") })
    #expect(!events.value.isEmpty)
    // Nobody would see that it shares no more.
    caches = []
    events.value = []
    let gone = SharedCacheError.cacheGone(key: "[\"n\"]")
    #expect(throws: gone) { try fetch(client) }
    #expect(gone.description.contains("keep the cache, the client does not"))
    #expect(try fetch(alone) == 7)
    #expect(events.value == [])
    caches = [try make("E")]
    #expect(try fetch(client) == 7)
    #expect(events.value.allSatisfy { $0.hasPrefix("E ") })
    #expect(!events.value.isEmpty)
    caches = []
    for client in [client, alone] { client.shutDown() }
  }

  @Test func otherMachinesGetTheTextOfAFailureThatTheConfigurationAllows() throws {
    let first = world.machine { $0.failureText = { _ in "redacted" } }
    let second = world.machine()
    world.failure.value = Boom()
    let runs = [world.start(first), world.start(second)]
    world.advance(5)
    #expect(runs[0].error is Boom)
    let reason = "[\"rates\", \"n\"]"
    #expect(
      runs[1].error as? SharedCacheError == .failedElsewhere(key: reason, reason: "redacted")
    )
  }

  @Test func otherMachinesDoNotGetTheKeyOfAnotherFetchThatTheFetchWaitedFor() throws {
    let first = world.machine { $0.failureText = { _ in "it failed" } }
    let second = world.machine()
    let other = #"["user", "ada@example.com"]"#
    world.failure.value = QueryError.timedOut(key: other, limit: .seconds(1))
    let runs = [world.start(first), world.start(second)]
    world.advance(5)
    #expect(runs[0].error as? QueryError == .timedOut(key: other, limit: .seconds(1)))
    let key = #"["rates", "n"]"#
    #expect(runs[1].error as? SharedCacheError == .failedElsewhere(key: key, reason: "it failed"))
  }

  @Test func aSecondReaderTakesOverWhenTheFirstEnds() throws {
    let first = world.machine()
    let cache = first.cache
    let second = world.simulation.task("second") { await cache.run() }
    world.simulation.settle()
    first.running?.cancel()
    world.advance(1)
    #expect(first.events.value == ["follows log", "follows log"])
    second.cancel()
    world.advance(1)
  }

  @Test func whatIsUnderWayWhenTheLogIsFirstReadIsNotFetchedTwice() throws {
    let (first, second) = (world.machine(running: false), world.machine())
    let running = world.start(first)
    world.advance(0.5)
    let cache = first.cache
    let log = world.simulation.task("log") { await cache.run() }
    world.simulation.settle()
    world.advance(1)
    #expect(running.value == 1)
    #expect(!first.client.isStale(world.query(first)))
    #expect(world.value(second) == 1)
    #expect(world.requests.value == 1)
    #expect(first.story == ["leads", "committed", "hit"])
    log.cancel()
    world.advance(1)
  }
}
