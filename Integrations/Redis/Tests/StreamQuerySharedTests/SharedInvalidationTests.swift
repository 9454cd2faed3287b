import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

/// A change on one machine takes effect on all, once.
struct SharedInvalidationTests {
  let world = World()

  /// Invalidates on a machine.
  private func invalidate(
    _ machine: Machine,
    _ body: @escaping @Sendable (SharedCache) async throws -> Void
  ) throws {
    try world.simulation.run { try await body(machine.cache) }
    world.simulation.settle()
  }

  /// Versions say nothing of a cache before upstream.
  @Test func whatACacheBeforeUpstreamHadFromBeforeStaysStale() throws {
    let (first, second) = (world.machine(), world.machine())
    func query(_ machine: Machine) -> Query<Int> {
      Query<Int>("rates", "n") { [requests = world.requests] context in
        requests.with { $0 += 1 }
        context.answer(isOld: .seconds(60))
        return 1
      }.staleTime(.minutes(10)).shared(through: machine.cache)
    }
    #expect(world.value(first, query(first)) == 1)
    try world.simulation.run { [query = query(first)] in try await first.cache.invalidate(query) }
    world.advance(5)
    for machine in [first, second] {
      #expect(world.value(machine, query(machine)) == 1)
    }
    #expect(first.client.isStale(query(first)))
    world.advance(56)
    #expect(world.value(first, query(first)) == 1)
    #expect(!first.client.isStale(query(first)))
  }

  @Test func anInvalidationReachesAllMachinesAndIsOneRequest() throws {
    let machines = (0..<4).map { _ in world.machine() }
    let recordings = machines.map { world.simulation.record($0.client.stream(world.query($0))) }
    world.advance(2)
    world.truth.value = 2
    let query = world.query(machines[0])
    try invalidate(machines[0]) { try await $0.invalidate(query) }
    world.advance(2)
    #expect(recordings.map { $0.values.last?.data } == [2, 2, 2, 2])
    #expect(recordings.map { $0.values.last?.isStale } == [false, false, false, false])
    #expect(world.requests.value == 2)
  }

  /// All marks are set before anything is fetched.
  @Test func aMessageThatConcernsManyQueriesIsOneTransaction() throws {
    let (first, second) = (world.machine(), world.machine())
    let queries = (0..<5).map { world.query(second, "n\($0)", tags: ["red"]) }
    let recordings = queries.map { world.simulation.record(second.client.stream($0)) }
    world.advance(2)
    let kinds = Dial<[String]>([])
    let events = second.client.events
    let listening = world.simulation.task("events") {
      for await event in events {
        switch event.kind {
        case .invalidated: kinds.with { $0.append("invalidated") }
        case .fetchStarted: kinds.with { $0.append("fetch") }
        default: break
        }
      }
    }
    world.simulation.settle()
    try invalidate(first) { try await $0.invalidate(tags: "red") }
    world.advance(0.5)
    let expected = [Array(repeating: "invalidated", count: 5), Array(repeating: "fetch", count: 5)]
    #expect(kinds.value == expected.flatMap(\.self))
    for recording in recordings { recording.cancel() }
    listening.cancel()
  }

  @Test func whatTheStoreDidNotTakeIsSentWhenItIsBack() {
    let (first, second) = (world.machine(), world.machine())
    let queries = [world.query(first), world.query(second)]
    let other = world.query(second, "other")
    #expect([world.value(first), world.value(second), world.value(second, other)] == [1, 1, 1])
    world.advance(1)
    first.link.fault.value = .away
    world.truth.value = 2
    #expect(throws: SharedCacheError.store(.unavailable("away"))) {
      try invalidate(first) { [query = queries[0]] in try await $0.invalidate(query) }
    }
    world.advance(3)
    #expect(world.value(second) == 1)
    first.link.fault.value = .none
    world.advance(2)
    #expect(
      queries.enumerated().map { [first, second][$0.offset].client.isStale($0.element) } == [
        true, true,
      ]
    )
    #expect(!second.client.isStale(other))
    #expect([world.value(second), world.value(first)] == [2, 2])
    // Once, after the call that failed.
    world.advance(20)
    #expect(first.link.calls.value.filter { $0 == "invalidate" }.count == 2)
  }

  @Test func whatNobodyObservesIsFetchedWhenItIsUsed() throws {
    let (first, second) = (world.machine(), world.machine())
    let queries = [world.query(first), world.query(second)]
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.truth.value = 2
    try invalidate(first) { [query = queries[0]] in try await $0.invalidate(query) }
    #expect(second.client.isStale(queries[1]))
    #expect(second.client.data(for: queries[1]) == 1)
    #expect(world.requests.value == 1)
    #expect([world.value(second), world.value(first)] == [2, 2])
    #expect(world.requests.value == 2)
  }

  @Test("a key by itself, by the beginning of its parts, and by its tags")
  func marks() throws {
    let (first, second) = (world.machine(), world.machine())
    let a = world.query(second, "a", tags: ["red"])
    let b = world.query(second, "b", tags: ["red", "blue"])
    let other = Query<Int>("other") { 1 }.staleTime(.seconds(60)).shared(through: second.cache)
    func stale() -> [Bool] {
      for query in [a, b, other] where second.client.data(for: query) == nil {
        _ = world.value(second, query)
      }
      defer { for query in [a, b, other] { _ = world.value(second, query) } }
      return [a, b, other].map { second.client.isStale($0) }
    }
    #expect(stale() == [false, false, false])
    let keyOfA = world.query(first, "a")
    try invalidate(first) { try await $0.invalidate(keyOfA) }
    #expect(stale() == [true, false, false])
    try invalidate(first) { try await $0.invalidate(prefix: ["rates"]) }
    #expect(stale() == [true, true, false])
    try invalidate(first) { try await $0.invalidate(prefix: ["rates", "b"]) }
    #expect(stale() == [false, true, false])
    try invalidate(first) { try await $0.invalidate(prefix: ["rat"]) }
    #expect(stale() == [false, false, false])
    try invalidate(first) { try await $0.invalidate(prefix: []) }
    #expect(stale() == [true, true, true])
    try invalidate(first) { try await $0.invalidate(tags: "blue") }
    #expect(stale() == [false, true, false])
    try invalidate(first) { try await $0.invalidate(tags: "green", "red") }
    #expect(stale() == [true, true, false])
  }

  @Test func whatWasFetchedAfterTheOwnInvalidationIsNotFetchedAgainByItsEcho() throws {
    let first = world.machine()
    let query = world.query(first)
    let recording = world.simulation.record(first.client.stream(query))
    world.advance(2)
    // The message comes back only after the new answer.
    world.duration.value = .milliseconds(100)
    first.link.logDelay.value = .milliseconds(800)
    world.advance(5)
    try invalidate(first) { try await $0.invalidate(query) }
    world.advance(0.2)
    #expect(world.requests.value == 2)
    #expect(recording.values.last?.isStale == false)
    world.advance(10)
    #expect(world.requests.value == 2)
    #expect(recording.values.last?.isStale == false)
  }

  @Test func whatWasFetchedBetweenTheInvalidationAndItsAnswerStays() throws {
    let first = world.machine()
    let query = world.query(first)
    #expect(world.value(first) == 1)
    world.duration.value = .milliseconds(10)
    // The store has invalidated at once; the machine learns of it late, and reads no log meanwhile.
    first.link.logDelay.value = .milliseconds(900)
    world.advance(5)
    first.link.changeDelay.value = .milliseconds(500)
    let invalidating = world.simulation.task("invalidate") {
      try? await first.cache.invalidate(query)
    }
    world.simulation.settle()
    first.link.changeDelay.value = .zero
    world.truth.value = 2
    let client = first.client
    world.simulation.run { _ = try? await client.fetch(query.staleTime(.zero)) }
    #expect(world.requests.value == 2)
    world.advance(10)
    #expect(!first.client.isStale(query))
    #expect(world.requests.value == 2)
    _ = invalidating
  }

  @Test func anAnswerIsNotServedAsFreshThatWasInvalidatedWhileItWasFetched() throws {
    let (first, second) = (world.machine(), world.machine())
    let running = world.start(first)
    world.advance(0.5)
    world.truth.value = 2
    let query = world.query(second)
    try invalidate(second) { try await $0.invalidate(query) }
    world.advance(0.5)
    #expect(!running.isOver)
    world.advance(1)
    #expect(running.value == 2)
    #expect(first.story == ["leads", "outdated", "leads", "committed"])
  }

  @Test func aStormOfInvalidationsEndsWithAnAnswerThatIsStale() throws {
    let (first, second) = (world.machine(), world.machine())
    let running = world.start(first)
    let query = world.query(second)
    for _ in 0..<5 {
      world.advance(0.5)
      try invalidate(second) { try await $0.invalidate(query) }
      world.advance(0.5)
    }
    #expect(running.value == 1)
    #expect(first.client.isStale(world.query(first)))
    #expect(first.story.last == "outdated for good")
  }

  @Test func anInvalidationThatTheStoreDoesNotTakeIsThrownAndTakesEffectHere() throws {
    let first = world.machine()
    let query = world.query(first)
    #expect(world.value(first) == 1)
    first.link.fault.value = .away
    #expect(throws: SharedCacheError.store(.unavailable("away"))) {
      try world.simulation.run { try await first.cache.invalidate(query) }
    }
    #expect(first.client.isStale(query))
  }

  @Test func anInvalidationOfTheClientAloneAsksUpstream() throws {
    let (first, second) = (world.machine(), world.machine())
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.truth.value = 2
    let query = world.query(first)
    world.simulation.run { await first.client.invalidate(query) }
    #expect(world.value(first) == 2)
    #expect(world.requests.value == 2)
  }

  /// The store has what another machine fetched before.
  @Test func anInvalidationOfTheClientAloneHoldsForWhatItDoesNotHave() {
    let (first, second) = (world.machine(), world.machine())
    #expect(world.value(second) == 1)
    world.truth.value = 2
    let query = world.query(first)
    first.client.markInvalidated(.query(query))
    #expect(world.value(first) == 2)
    #expect(world.requests.value == 2)
    // The other one was told by the answer.
    world.advance(1)
    #expect(world.value(second) == 2)
    #expect(world.requests.value == 2)
  }

  @Test func anInvalidationOfTheClientAloneHoldsForWhatHasLeftIt() {
    let (first, second) = (world.machine(), world.machine())
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.truth.value = 2
    first.client.markInvalidated(.prefix(["rates"]))
    first.client.remove(.all)
    #expect(world.value(first) == 2)
    // What was asked for since will do, however often the data leaves.
    first.client.remove(.all)
    #expect(world.value(first) == 2)
    #expect(world.requests.value == 2)
  }

  /// The other one asked upstream before.
  @Test func anInvalidationOfTheClientAloneRefusesWhatIsUnderWayElsewhere() {
    let (first, second) = (world.machine(), world.machine())
    let other = world.start(second)
    world.advance(0.5)
    world.truth.value = 2
    first.client.markInvalidated(.query(world.query(first)))
    #expect(world.value(first) == 2)
    #expect(first.story == ["follows", "leads", "committed"])
    #expect(other.value == 1)
  }

  @Test func anInvalidationOfTheClientAloneTakesWhatWasAskedForLater() {
    let (first, second) = (world.machine(), world.machine())
    world.truth.value = 2
    first.client.markInvalidated(.query(world.query(first)))
    world.advance(0.5)
    let other = world.start(second)
    world.advance(0.5)
    #expect(world.value(first) == 2)
    #expect(first.story == ["follows", "hit"])
    #expect(other.value == 2)
    #expect(world.requests.value == 1)
  }

  // MARK: Writes

  @Test func aWriteIsSeenHereAtOnceAndOnAllMachines() throws {
    let (first, second) = (world.machine(), world.machine())
    let recording = world.simulation.record(second.client.stream(world.query(second)))
    world.advance(2)
    let query = world.query(first)
    try invalidate(first) { try await $0.write(42, for: query) }
    #expect(first.client.data(for: query) == 42)
    #expect(!first.client.isStale(query))
    #expect(recording.values.last?.data == 42)
    #expect(world.requests.value == 1)
    // Its echo changes nothing.
    world.advance(5)
    #expect(!first.client.isStale(query))
  }

  @Test func aFetchDuringAWriteDoesNotReplaceIt() throws {
    let (first, second) = (world.machine(), world.machine())
    let running = world.start(first)
    world.advance(0.5)
    let query = world.query(second)
    try invalidate(second) { try await $0.write(42, for: query) }
    world.advance(3)
    #expect(running.value == 42)
    #expect(first.client.data(for: query) == 42)
    #expect(second.client.data(for: query) == 42)
  }

  @Test func callersOfAFetchGetWhatIsWrittenMeanwhile() throws {
    let first = world.machine()
    let running = world.start(first)
    world.advance(0.5)
    let query = world.query(first)
    try invalidate(first) { try await $0.write(42, for: query) }
    #expect(running.value == 42)
    world.advance(3)
    #expect(first.client.data(for: query) == 42)
    #expect(!first.client.isStale(query))
  }

  @Test func aWriteWhoseAnswerComesLateDoesNotReplaceANewerOne() throws {
    let (first, second) = (world.machine(), world.machine())
    let query = world.query(first)
    #expect(world.value(first) == 1)
    first.link.changeDelay.value = .milliseconds(900)
    world.simulation.task("write") { try? await first.cache.write(42, for: query) }
    world.simulation.settle()
    let other = world.query(second)
    try invalidate(second) { try await $0.write(43, for: other) }
    _ = world.value(first)
    #expect(first.client.data(for: query) == 43)
    world.advance(5)
    #expect(first.client.data(for: query) == 43)
    #expect(!first.client.isStale(query))
  }

  @Test func whatIsNotSharedOrCannotBeWrittenIsRefused() {
    let first = world.machine { $0.maxValueBytes = 10 }
    let bare = world.bare()
    #expect(throws: SharedCacheError.notShared(key: "[\"rates\", \"n\"]")) {
      try world.simulation.run { try await first.cache.write(1, for: bare) }
    }
    let text = Query<String>("text") { "" }.shared(through: first.cache)
    #expect(throws: SharedCacheError.store(.tooLarge(bytes: 22, limit: 10))) {
      try world.simulation.run {
        try await first.cache.write(String(repeating: "x", count: 20), for: text)
      }
    }
  }
}
