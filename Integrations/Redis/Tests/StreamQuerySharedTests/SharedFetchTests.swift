import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

/// Many machines fetch what one of them has fetched.
struct SharedFetchTests {
  let world = World()

  @Test func oneMachineFetchesForAll() {
    let machines = (0..<5).map { _ in world.machine() }
    let running = machines.map { world.start($0) }
    world.advance(1)
    #expect(running.map(\.value) == [1, 1, 1, 1, 1])
    #expect(world.requests.value == 1)
    #expect(machines[0].story == ["leads", "committed"])
    #expect(machines[1].story == ["follows", "hit"])
  }

  @Test func anEntryOfTheStoreIsTheAnswerWhileItIsFresh() {
    let (first, second) = (world.machine(), world.machine())
    #expect(world.value(first) == 1)
    world.truth.value = 2
    world.advance(59.9)
    #expect(world.value(second) == 1)
    #expect(world.requests.value == 1)
    world.advance(0.1)
    // It was as old here as there.
    #expect(world.value(second) == 2)
    #expect(world.requests.value == 2)
    #expect(second.story == ["hit", "leads", "committed"])
  }

  @Test func theTimeOnTheWayCountsAsAge() {
    let (first, second) = (world.machine(), world.machine())
    #expect(world.value(first) == 1)
    second.link.delay.value = .milliseconds(300)
    world.advance(50)
    #expect(world.value(second) == 1)
    let age = second.client.diagnostics("rates").first?.age ?? .zero
    #expect(age >= Duration.milliseconds(50_600))
  }

  @Test func aRefetchAsksUpstreamAndOthersGetItsAnswer() {
    let (first, second) = (world.machine(), world.machine())
    #expect(world.value(first) == 1)
    #expect(world.value(second) == 1)
    world.truth.value = 2
    let (query, client) = (world.query(first), first.client)
    world.simulation.run { await client.refetch(query) }
    #expect(client.data(for: query) == 2)
    world.simulation.settle()
    // The message of the new value made the older one stale.
    #expect(world.value(second) == 2)
    #expect(world.requests.value == 2)
  }

  @Test func aRefetchIsNotAnsweredWithAYoungEntry() {
    let (first, second) = (world.machine(), world.machine())
    #expect([world.value(first), world.value(second)] == [1, 1])
    let queries = [world.query(first), world.query(second)]
    world.simulation.run { await first.client.refetch(queries[0]) }
    world.simulation.settle()
    world.truth.value = 2
    world.simulation.run { await second.client.refetch(queries[1]) }
    #expect(second.client.data(for: queries[1]) == 2)
    #expect(world.requests.value == 3)
  }

  @Test func theClientsOwnInvalidationIsNotAnsweredWithAnEntryFromBefore() {
    let (first, second) = (world.machine(), world.machine())
    #expect([world.value(first), world.value(second)] == [1, 1])
    let queries = [world.query(first), world.query(second)]
    first.link.logDelay.value = .milliseconds(900)
    world.advance(5)
    world.simulation.run { await second.client.refetch(queries[1]) }
    world.truth.value = 2
    // The message of the newer entry is not here yet.
    world.simulation.run { await first.client.invalidate(queries[0]) }
    #expect(world.value(first) == 2)
    #expect(world.requests.value == 3)
  }

  @Test func anEarlyRefetchAsksUpstreamAndNotForTheSameEntry() {
    let (first, second) = (world.machine(), world.machine())
    let query = world.query(second).refreshAhead(.fraction(0.5))
    #expect([world.value(first), world.value(second, query)] == [1, 1])
    world.truth.value = 2
    world.advance(40)
    #expect(world.value(second, query) == 1)
    world.advance(1)
    #expect(second.client.data(for: query) == 2)
    #expect(world.requests.value == 2)
  }

  @Test func aFailureIsOneRequestForAllAndTellsWhatItWas() throws {
    let machines = (0..<4).map { _ in world.machine() }
    world.failure.value = Boom()
    let running = machines.map { world.start($0) }
    world.advance(1)
    #expect(world.requests.value == 1)
    #expect(running[0].error is Boom)
    let errors = running.dropFirst().map { $0.error as? SharedCacheError }
    let expected = SharedCacheError.failedElsewhere(key: "[\"rates\", \"n\"]", reason: "boom")
    #expect(errors == [expected, expected, expected])
    world.failure.value = nil
    #expect(world.value(machines[2]) == 1)
  }

  @Test func aDeadLeaderIsReplacedWhenItsLeaseEnds() {
    let (first, second) = (world.machine(), world.machine())
    world.duration.value = .seconds(3_600)
    let dead = world.start(first)
    // It neither renews nor commits any more.
    first.link.fault.value = .hanging
    let waiting = world.start(second)
    world.advance(5)
    world.duration.value = .seconds(1)
    world.advance(4.9)
    #expect(world.requests.value == 1)
    world.advance(1.2)
    #expect(waiting.value == 1)
    #expect(world.requests.value == 2)
    dead.task.cancel()
  }

  @Test func aLeaderThatLivesIsWaitedForBeyondItsLease() {
    let (first, second) = (world.machine(), world.machine())
    world.duration.value = .seconds(15)
    let running = [world.start(first), world.start(second)]
    world.advance(15)
    #expect(running.map(\.value) == [1, 1])
    #expect(world.requests.value == 1)
  }

  @Test func whoHasWaitedTooLongFetchesAlone() {
    let (first, second) = (world.machine(), world.machine { $0.answerTimeout = .seconds(5) })
    world.duration.value = .seconds(15)
    let running = [world.start(first), world.start(second)]
    world.advance(4.9)
    #expect(second.story == ["follows"])
    // Up to half as long again, at random.
    world.advance(2.6)
    #expect(second.story == ["follows", "alone: impatient"])
    world.advance(15)
    #expect(running.map(\.value) == [1, 1])
    #expect(world.requests.value == 2)
  }

  @Test func aCancelledLeaderGivesItsLeaseBack() {
    let (first, second) = (world.machine(), world.machine())
    let leading = world.start(first)
    let waiting = world.start(second)
    world.advance(0.5)
    leading.task.cancel()
    world.simulation.settle()
    #expect(leading.error is CancellationError)
    #expect(world.requests.value == 2)
    world.advance(1)
    #expect(waiting.value == 1)
  }

  @Test func aFetchThatThrowsAnErrorOfCancellationByItselfHasFailedForAll() {
    let machines = (0..<3).map { _ in world.machine() }
    world.failure.value = CancellationError()
    let running = machines.map { world.start($0) }
    world.advance(5)
    #expect(running[0].error is CancellationError)
    let errors = running.dropFirst().map { $0.error as? SharedCacheError }
    let expected = SharedCacheError.failedElsewhere(
      key: "[\"rates\", \"n\"]",
      reason: "CancellationError()"
    )
    #expect(errors == [expected, expected])
    #expect(world.requests.value == 1)
  }

  @Test func aCancelledFollowerLeavesAtOnce() {
    let (first, second) = (world.machine(), world.machine())
    let leading = world.start(first)
    let waiting = world.start(second)
    waiting.task.cancel()
    world.simulation.settle()
    #expect(waiting.error is CancellationError)
    world.advance(1)
    #expect(leading.value == 1)
    #expect(second.client.diagnostics("rates").map(\.fetchStatus) == [.idle])
  }

  @Test func aCallerLeavesAtOnceWhoseStoreHangs() {
    let first = world.machine()
    first.link.fault.value = .hanging
    let waiting = world.start(first)
    waiting.task.cancel()
    world.simulation.settle()
    #expect(waiting.error is CancellationError)
  }

  @Test func aLeaseThatComesAfterItsCallerLeftIsGivenBack() {
    let (first, second) = (world.machine(), world.machine())
    first.link.delay.value = .milliseconds(100)
    let leaving = world.start(first)
    world.advance(0.15)
    leaving.task.cancel()
    world.advance(0.25)
    #expect(leaving.error is CancellationError)
    #expect(world.value(second) == 1)
    #expect(second.story == ["leads", "committed"])
    #expect(world.simulation.now == .milliseconds(1_400))
  }

  @Test func unchangedDataIsStoredForOthers() {
    let (first, second) = (world.machine(), world.machine())
    let query = { (machine: Machine) in
      Query<Int>("kept") { context in
        if context.previous(as: Int.self) != nil { throw NotModified() }
        return 7
      }.staleTime(.seconds(10)).shared(through: machine.cache)
    }
    #expect(world.value(first, query(first)) == 7)
    world.advance(10)
    #expect(world.value(first, query(first)) == 7)
    world.advance(9)
    #expect(world.value(second, query(second)) == 7)
    #expect(second.story == ["hit"])
  }

  @Test func theAgeThatUpstreamTellsGoesWithTheValue() {
    let (first, second) = (world.machine(), world.machine())
    let query = { (machine: Machine) in
      Query<Int>("aged") { context in
        context.answer(isOld: .seconds(40))
        return 7
      }.staleTime(.seconds(60)).shared(through: machine.cache)
    }
    #expect(world.value(first, query(first)) == 7)
    world.advance(10)
    #expect(world.value(second, query(second)) == 7)
    #expect(second.client.diagnostics("aged").first?.age == .seconds(50))
    world.advance(10)
    #expect(world.value(second, query(second)) == 7)
    #expect(second.story == ["hit", "leads", "committed"])
  }
}
