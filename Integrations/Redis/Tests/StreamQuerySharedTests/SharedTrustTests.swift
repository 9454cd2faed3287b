import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

/// A store that is away, forgets, or lies.
struct SharedTrustTests {
  @Test(arguments: [false, true])
  func whenTheStoreIsBackOneMachineFetchesForThoseThatFetchedForThemselves(forgetting: Bool) {
    let world = World()
    world.duration.value = .milliseconds(100)
    // What the store may take is far more than it takes.
    let machines = (0..<5).map { _ in
      world.machine { configuration in
        configuration.timeout = .seconds(10)
        configuration.pauses = (first: .milliseconds(100), longest: .milliseconds(200))
      }
    }
    world.store.crash()
    let away = machines.map { world.start($0) }
    world.advance(1.5)
    #expect(away.map(\.value) == [1, 1, 1, 1, 1])
    #expect(world.requests.value == 5)
    // What each has is young, and from upstream itself.
    let queries = machines.map { world.query($0, staleTime: .milliseconds(200)) }
    _ = zip(machines, queries).map { world.start($0, $1) }
    world.advance(0.1)
    world.store.restart(forgetting: forgetting)
    let before = world.requests.value
    world.advance(0.8)
    world.truth.value = 2
    let back = zip(machines, queries).map { world.start($0, $1) }
    world.advance(1)
    #expect(back.map(\.value) == [2, 2, 2, 2, 2])
    #expect(world.requests.value == before + 1, "\(machines.map(\.story))")
  }

  let world = World()

  @Test func whileTheStoreIsAwayEachMachineFetchesForItself() {
    let (first, second) = (world.machine(), world.machine())
    for machine in [first, second] { machine.link.fault.value = .away }
    #expect([world.value(first), world.value(second)] == [1, 1])
    #expect(world.requests.value == 2)
    // Within a machine the callers still share a fetch.
    let running = (0..<10).map { world.start(first, world.query(first, "m\($0 % 2)")) }
    world.advance(1)
    #expect(running.map(\.value) == Array(repeating: 1, count: 10))
    #expect(world.requests.value == 4)
  }

  @Test func noCallWaitsForAStoreThatHangs() {
    let first = world.machine()
    first.link.fault.value = .hanging
    let start = world.simulation.now
    #expect(world.value(first) == 1)
    #expect(world.simulation.now - start <= Duration.seconds(2))
    #expect(world.value(first, world.query(first, "m")) == 1)
    // The second did not ask at all.
    #expect(world.simulation.now - start <= Duration.seconds(3))
    #expect(first.story.contains("store away"))
    #expect(first.link.calls.value.filter { $0 == "begin" }.count == 1)
  }

  @Test func nothingIsTrustedForLongerThanTheBound() {
    let (first, second) = (world.machine(), world.machine())
    let query = world.query(first)
    #expect(world.value(first) == 1)
    first.link.fault.value = .away
    world.advance(3)
    world.truth.value = 2
    let other = world.query(second)
    world.simulation.run { try? await second.cache.invalidate(other) }
    #expect(world.value(first) == 1)
    world.advance(7)
    #expect(first.client.isStale(query))
    #expect(world.value(first) == 2)
    #expect(first.story.contains("untrusted 1"))
    // What came meanwhile is trusted as long, and then no longer.
    #expect(!first.client.isStale(query))
    world.advance(8)
    #expect(!first.client.isStale(query))
    world.advance(2)
    #expect(first.client.isStale(query))
  }

  /// The bound: `trust` from the landing, which is up to what the fetch took after the change.
  @Test(arguments: [false, true])
  func whatWasUnderWayAtAChangeIsTrustedFromItsLanding(isCommitted: Bool) {
    let (first, second) = (world.machine { $0.trust = .seconds(8) }, world.machine())
    let query = world.query(first)
    world.duration.value = .seconds(3)
    // Alone, or with a commit that gets no answer, which takes a second more.
    if !isCommitted { first.link.fault.value = .away }
    world.advance(0.5)
    let running = world.start(first)
    if isCommitted { first.link.fault.value = .hanging }
    world.advance(1)
    world.truth.value = 2
    let other = world.query(second)
    world.simulation.run { try? await second.cache.invalidate(other) }
    let landing = isCommitted ? 4.5 : 3.5
    world.advance(landing - 1.5 - 0.001)
    #expect(!running.isOver)
    world.advance(0.001)
    #expect(running.value == 1)
    #expect(first.story.suffix(1) == [isCommitted ? "store away" : "alone: storeAway"])
    // It is looked at each second, and suspected when seven are over.
    world.advance(7.499)
    #expect(!first.client.isStale(query))
    #expect(world.value(first) == 1)
    world.advance(0.001)
    #expect(first.client.isStale(query))
    #expect(world.value(first) == 2)
    #expect(world.requests.value == 2)
  }

  @Test func aStoreThatIsBackIsUsedAgainAndTellsWhatWasMissed() throws {
    let (first, second) = (world.machine(), world.machine())
    let (query, kept) = (world.query(first), world.query(first, "kept"))
    #expect([world.value(first), world.value(first, kept)] == [1, 1])
    first.link.fault.value = .away
    world.advance(2)
    let other = world.query(second)
    try world.simulation.run { try await second.cache.invalidate(other) }
    world.advance(2)
    #expect(!first.client.isStale(query))
    first.link.fault.value = .none
    world.advance(3)
    #expect(first.client.isStale(query))
    // Nothing was lost, so what was not touched stays.
    #expect(!first.client.isStale(kept))
    #expect(first.events.value.suffix(2) == ["store back", "invalidated 1"])
  }

  @Test func dataDoesNotGoBackWhenTheStoreReturns() {
    let (first, second) = (world.machine(), world.machine())
    // One machine asks before the truth changes, and the other one, alone, after it.
    world.duration.value = .seconds(8)
    let slow = world.start(first)
    world.advance(1)
    world.truth.value = 2
    world.duration.value = .milliseconds(100)
    second.link.fault.value = .away
    #expect(world.value(second) == 2)
    second.link.fault.value = .none
    world.advance(8)
    #expect(slow.value == 1)
    #expect(second.client.data(for: world.query(second)) == 2)
    // What the first has stored is newer by its version, but not by its request.
    #expect(world.value(second) == 2)
    world.advance(1)
    #expect(world.value(first) == 2)
  }

  @Test func dataDoesNotGoBackToWhatAReplicaStillHas() throws {
    let (first, second) = (world.machine(), world.machine())
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.advance(5)
    let replica = world.store.model
    world.truth.value = 2
    let query = world.query(first)
    try world.simulation.run { try await first.cache.invalidate(query) }
    #expect([world.value(first), world.value(second)] == [2, 2])
    world.store.failOver(to: replica)
    world.advance(5)
    #expect([world.value(first), world.value(second)] == [2, 2])
    #expect(first.client.data(for: query) == 2)
  }

  @Test func lostMessagesEndTheTrustInEverything() {
    let first = world.machine()
    let queries = ["a", "b"].map { world.query(first, $0) }
    for query in queries { #expect(world.value(first, query) == 1) }
    world.store.restart(forgetting: true)
    world.advance(5)
    #expect(queries.map { first.client.isStale($0) } == [true, true])
    #expect(first.story.contains("gap 2"))
    #expect(queries.map { world.value(first, $0) } == [1, 1])
    #expect(queries.map { first.client.isStale($0) } == [false, false])
  }

  @Test func aFetchUnderWayWhenMessagesAreLostBeginsAgain() {
    let first = world.machine()
    let running = world.start(first)
    world.advance(0.5)
    world.truth.value = 2
    world.store.restart(forgetting: true)
    world.advance(2)
    #expect(running.value == 2)
    #expect(first.story.filter { $0 == "leads" }.count == 2)
  }

  @Test func afterAGapEntriesOfTheStoreAreTakenAgain() {
    let (first, second) = (world.machine(), world.machine())
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.store.restart(forgetting: true)
    world.advance(5)
    #expect([world.value(first), world.value(second)] == [1, 1])
    #expect(world.requests.value == 2)
  }

  @Test func withoutAReaderNothingStaysFresh() {
    let first = world.machine(running: false)
    let query = world.query(first)
    #expect(world.value(first) == 1)
    #expect(first.client.isStale(query))
    #expect(world.value(first) == 1)
    #expect(first.story == ["leads", "committed", "hit"])
    let task = world.simulation.task("log") { await first.cache.run() }
    world.simulation.settle()
    #expect(world.value(first) == 1)
    #expect(!first.client.isStale(query))
    task.cancel()
    world.simulation.settle()
    #expect(first.client.isStale(query))
  }

  @Test func theLogEndsWithItsClient() {
    let simulation = world.simulation
    let store = world.store
    let task = { () -> Task<Void, Never> in
      let client = QueryClient(simulation: simulation, configuration: .server)
      let configuration = SharedCacheConfiguration(namespace: "app")
      let cache = SharedCache(store, forNew: client, configuration)
      return simulation.task("log") { await cache.run() }
    }()
    world.advance(6)
    #expect(!simulation.leakReport().contains { $0.contains("log") })
    task.cancel()
  }

  @Test("absurd settings neither end the process nor keep it busy", arguments: [-1, 0, Int64.max])
  func absurdSettings(_ seconds: Int64) {
    let time = Duration.seconds(seconds)
    let first = world.machine {
      ($0.lease, $0.lifetime, $0.trust, $0.answerTimeout, $0.timeout) = (
        time, time, time, time, time
      )
      ($0.rounds, $0.pauses) = (Int(clamping: seconds), (time, time))
    }
    #expect(world.value(first) == 1)
    world.advance(1)
    #expect(world.value(first, world.query(first, "m")) == 1)
  }

  @Test func aStoreThatDoesNotWaitIsNotAskedWithoutEnd() {
    let first = world.machine()
    first.link.reading.value = { found in
      SharedChanges(messages: [], position: found.position, isGap: true)
    }
    world.advance(10)
    #expect(first.link.calls.value.count < 120)
  }

  // MARK: Hostile input

  @Test func namespacesNeverMeet() throws {
    let tenants = ["a", "ab", "a:", "1:a"].map { world.machine(namespace: $0) }
    for (place, tenant) in tenants.enumerated() {
      world.truth.value = place
      #expect(world.value(tenant) == place)
    }
    let query = world.query(tenants[0])
    let cache = tenants[0].cache
    try world.simulation.run { try await cache.invalidate(prefix: []) }
    try world.simulation.run { try await cache.write(99, for: query) }
    world.advance(1)
    #expect(tenants.map { $0.client.data(for: world.query($0)) } == [99, 1, 2, 3])
    #expect(
      tenants.dropFirst().map { $0.client.isStale(world.query($0)) } == [false, false, false]
    )
  }

  @Test func theQueryOfAnotherTenantsCacheIsRefused() {
    let (first, second) = (world.machine(namespace: "a"), world.machine(namespace: "b"))
    #expect(world.value(first) == 1)
    let error = SharedCacheError.otherClient(key: "[\"rates\", \"n\"]")
    #expect(throws: error) { try world.fetch(second, world.query(first)).get() }
  }

  @Test func formsOfAnotherVersionAreMisses() {
    let (old, new) = (world.machine(), world.machine())
    #expect(world.value(old) == 1)
    let query = world.query(new, form: "2")
    world.truth.value = 2
    #expect(world.value(new, query) == 2)
    // Side by side, without replacing each other's entries.
    let third = world.machine()
    #expect(world.value(third) == 1)
    #expect(world.requests.value == 2)
  }

  @Test("what cannot be read is a miss", arguments: [[], [1], [UInt8](repeating: 255, count: 40)])
  func damage(_ bytes: [UInt8]) {
    let (first, second) = (world.machine(), world.machine())
    #expect(world.value(first) == 1)
    second.link.beginning.value = { found in
      guard case .entry(var entry) = found else { return found }
      entry.value.bytes = bytes
      return .entry(entry)
    }
    world.truth.value = 2
    #expect(world.value(second) == 2)
    #expect(second.story == ["unreadable", "leads", "committed"])
  }

  @Test func aStoreThatAlwaysGivesADamagedEntryIsLeftAlone() {
    let (first, second) = (world.machine(), world.machine())
    #expect(world.value(first) == 1)
    second.link.beginning.value = { _ in
      let value = SharedValue([0], form: "json.1")
      let version = SharedVersion(milliseconds: 1, sequence: 0)
      return .entry(SharedEntry(value: value, version: version, age: .zero))
    }
    #expect(world.value(second) == 1)
    #expect(second.story.last == "alone: outdated")
  }

  @Test func anEntryFromBeforeAnInvalidationThatWasSeenIsNoAnswer() throws {
    let (first, second) = (world.machine(), world.machine())
    let old = Dial<SharedBeginning?>(nil)
    second.link.beginning.value = { found in
      if case .entry = found, old.value == nil { old.value = found }
      return old.value ?? found
    }
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.truth.value = 2
    let query = world.query(first)
    try world.simulation.run { try await first.cache.invalidate(query) }
    world.simulation.settle()
    // The store, or the replica that has taken over, gives the entry from before.
    #expect(world.value(second) == 2)
    #expect(!second.story.suffix(1).contains("hit"))
  }

  @Test func aVersionThatTheStoreCannotHaveGivenHidesNoChange() throws {
    let (first, second) = (world.machine(), world.machine())
    #expect(world.value(first) == 1)
    second.link.beginning.value = { found in
      guard case .entry(var entry) = found else { return found }
      entry.version = SharedVersion(milliseconds: .max, sequence: .max)
      return .entry(entry)
    }
    #expect(world.value(second) == 1)
    world.advance(5)
    let query = world.query(first)
    try world.simulation.run { try await first.cache.invalidate(query) }
    world.advance(1)
    #expect(second.client.isStale(world.query(second)))
  }

  @Test func whatIsTooLargeIsFetchedByEachMachineForItself() {
    let machines = (0..<3).map { _ in world.machine { $0.maxValueBytes = 0 } }
    let running = machines.map { world.start($0) }
    world.advance(2)
    #expect(running.map(\.value) == [1, 1, 1])
    let waited = ["follows", "alone: unshareable"]
    #expect(machines.map(\.story) == [["leads", "alone: tooLarge"], waited, waited])
    let long = String(repeating: "x", count: 5_000)
    #expect(world.value(machines[0], world.query(machines[0], long)) == 1)
  }

  @Test func aKeyWithoutATextSaysSo() {
    struct Local: Hashable, Sendable {}
    let first = world.machine()
    let query = Query<Int>("a", Local()) { 1 }.shared(through: first.cache)
    #expect(throws: SharedCacheError.self) { try world.fetch(first, query).get() }
  }
}
