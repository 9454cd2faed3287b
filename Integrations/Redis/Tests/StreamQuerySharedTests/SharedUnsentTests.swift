import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

/// What the store did not take is sent again, and disturbs nobody meanwhile.
struct SharedUnsentTests {
  let world = World()

  private func invalidate(_ machine: Machine, _ query: Query<Int>) {
    world.simulation.run { _ = try? await machine.cache.invalidate(query) }
    world.simulation.settle()
  }

  private func sent(_ machine: Machine) -> Int {
    machine.link.calls.value.filter { $0 == "invalidate" }.count
  }

  @Test func aStoreThatRefusesChangesIsNotTakenForAwayAgainAndAgain() {
    let (first, second) = (world.machine(), world.machine())
    let queries = [first, second].map { world.query($0, staleTime: .seconds(10_000)) }
    #expect([world.value(first, queries[0]), world.value(second, queries[1])] == [1, 1])
    world.advance(1)
    first.link.fault.value = .refusing
    invalidate(first, queries[0])
    for _ in 0..<300 {
      world.advance(0.1)
      // Answers of others are no reason to send it more often.
      _ = world.value(first, world.query(first, "busy", staleTime: .zero))
    }
    let story = first.story.filter { $0.hasPrefix("store") }
    #expect(story == ["store away", "store back"])
    // In more than five minutes, with pauses that grow to between 5 and 10 seconds.
    #expect((20...60).contains(sent(first)))
    #expect(!second.client.isStale(queries[1]))
    first.link.fault.value = .none
    world.advance(15)
    let count = sent(first)
    #expect(second.client.isStale(queries[1]))
    world.advance(30)
    #expect(sent(first) == count)
    #expect(first.story.filter { $0.hasPrefix("store") } == story)
  }

  @Test(arguments: [false, true])
  func anInvalidationWhoseCallerIsCancelledReachesTheOthersAllTheSame(isBefore: Bool) {
    let (first, second) = (world.machine(), world.machine())
    let queries = [world.query(first), world.query(second)]
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.advance(1)
    first.link.delay.value = .milliseconds(200)
    let outcome = Dial<SharedCacheError?>(nil)
    let task = world.simulation.task("invalidate") { [cache = first.cache, query = queries[0]] in
      do throws(SharedCacheError) {
        try await cache.invalidate(query)
      } catch {
        outcome.value = error
      }
    }
    if !isBefore { world.advance(0.1) }
    task.cancel()
    world.advance(1)
    #expect(outcome.value == .store(.cancelled))
    #expect(first.client.isStale(queries[0]))
    #expect(second.client.isStale(queries[1]))
    #expect(first.story == ["leads", "committed"])
  }

  @Test func anInvalidationThatIsRepeatedWithSuccessIsNotSentOnceMore() {
    let (first, second) = (world.machine(), world.machine())
    let queries = [world.query(first), world.query(second)]
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.advance(1)
    first.link.fault.value = .away
    invalidate(first, queries[0])
    first.link.fault.value = .none
    invalidate(first, queries[0])
    #expect(second.client.isStale(queries[1]))
    #expect(sent(first) == 2)
    world.advance(30)
    #expect(sent(first) == 2)
  }

  @Test func whatIsTooLargeTogetherIsSentInHalves() {
    let (first, second) = (world.machine(), world.machine())
    let names = ["a", "b", "c", "d", "e"]
    for name in names { #expect(world.value(second, world.query(second, name)) == 1) }
    world.advance(1)
    first.link.fault.value = .away
    for name in names { invalidate(first, world.query(first, name)) }
    #expect(sent(first) == 5)
    first.link.marksAtMost.value = 2
    first.link.fault.value = .none
    world.advance(20)
    #expect(names.map { second.client.isStale(world.query(second, $0)) } == names.map { _ in true })
    // Five are refused, two taken; of the other three, which are refused, one is taken, then two.
    #expect(sent(first) == 5 + 5)
  }

  @Test func anInvalidationThatIsTooLargeReachesTheOthersInParts() {
    let (first, second) = (world.machine(), world.machine())
    let names = ["a", "b", "c", "d", "e"]
    for name in names { #expect(world.value(first, world.query(first, name, tags: [name])) == 1) }
    world.advance(1)
    second.link.marksAtMost.value = 2
    world.truth.value = 2
    #expect(throws: Never.self) {
      try world.simulation.run { [cache = second.cache] in
        try await cache.invalidate(tags: "a", "b", "c", "d", "e")
      }
    }
    world.advance(1)
    for name in names { #expect(world.value(first, world.query(first, name, tags: [name])) == 2) }
  }

  @Test func whatIsTooLargeAloneIsSaidToBeSoAndNotSentAgain() {
    let (first, second) = (world.machine(), world.machine())
    let query = world.query(first, tags: ["a"])
    #expect([world.value(first, query), world.value(second)] == [1, 1])
    second.link.marksAtMost.value = 0
    #expect(throws: SharedCacheError.store(.tooLarge(bytes: 1, limit: 0))) {
      try world.simulation.run { [cache = second.cache] in
        try await cache.invalidate(tags: "a", "b")
      }
    }
    world.advance(30)
    #expect(sent(second) == 3)
    #expect(!first.client.isStale(query))
  }

  @Test func partsThatWereNotSentWhenTheCallerIsCancelledAreKept() {
    let (first, second) = (world.machine(), world.machine())
    let queries = ["a", "b", "c", "d"].map { world.query(first, $0, tags: [$0]) }
    #expect(queries.map { world.value(first, $0) } == [1, 1, 1, 1])
    second.link.marksAtMost.value = 2
    second.link.delay.value = .milliseconds(100)
    let task = world.simulation.task("invalidate") { [cache = second.cache] in
      _ = try? await cache.invalidate(tags: "a", "b", "c", "d")
    }
    // The whole is refused at 0.1, the first half taken at 0.2, and told of.
    world.advance(0.35)
    #expect(queries.map { first.client.isStale($0) } == [true, true, false, false])
    task.cancel()
    world.advance(2)
    #expect(queries.map { first.client.isStale($0) } == [true, true, true, true])
  }

  @Test func aWriteThatTheStoreDidNotTakeEndsTheOldValueWhenItIsBack() {
    let (first, second) = (world.machine(), world.machine())
    let queries = [world.query(first), world.query(second)]
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.advance(1)
    first.link.fault.value = .away
    #expect(throws: SharedCacheError.store(.unavailable("away"))) {
      try world.simulation.run { [cache = first.cache, query = queries[0]] in
        try await cache.write(2, for: query)
      }
    }
    first.link.fault.value = .none
    world.advance(20)
    #expect(second.client.isStale(queries[1]))
    #expect(sent(first) == 1)
  }

  @Test func aWriteThatIsRepeatedWithSuccessStays() {
    let (first, second) = (world.machine(), world.machine())
    let queries = [world.query(first), world.query(second)]
    #expect([world.value(first), world.value(second)] == [1, 1])
    world.advance(1)
    first.link.fault.value = .away
    for fault in [Link.Fault.away, .none] {
      first.link.fault.value = fault
      world.simulation.run { [cache = first.cache, query = queries[0]] in
        _ = try? await cache.write(2, for: query)
      }
    }
    world.advance(20)
    #expect([world.value(first), world.value(second)] == [2, 2])
    #expect(world.requests.value == 1)
    #expect(sent(first) == 0)
  }
}
