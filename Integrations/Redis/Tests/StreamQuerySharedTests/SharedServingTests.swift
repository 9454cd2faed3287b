import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

private struct NotFound: Error, CustomStringConvertible {
  var description: String { "not found" }
}

/// What a server's options mean for a query that many machines share.
struct SharedServingTests {
  let world = World()
  private let key = #"["rates", "n"]"#

  private func elsewhere(_ reason: String) -> SharedCacheError {
    .failedElsewhere(key: key, reason: reason)
  }

  @Test func aLimitOfAnySizeIsOne() {
    let machines = (0..<2).map { _ in
      world.machine { ($0.maxValueBytes, $0.maxKeyBytes) = (.max, .max) }
    }
    #expect(machines.map { world.value($0) } == [1, 1])
    #expect(machines[1].story == ["hit"])
  }

  // MARK: Stale data

  @Test func afterTheSoftTimeoutAFollowerGetsStaleDataAndTheOneFetchGoesOn() {
    let machines = (0..<3).map { _ in world.machine() }
    let queries = machines.map {
      world.query($0).staleIfError(.minutes(5)).softTimeout(.milliseconds(100))
    }
    #expect(zip(machines, queries).map { world.value($0, $1) } == [1, 1, 1])
    (world.truth.value, world.duration.value) = (2, .seconds(5))
    world.advance(60)
    let running = zip(machines, queries).map { world.start($0, $1) }
    world.advance(0.09)
    #expect(running.map(\.isOver) == [false, false, false])
    world.advance(0.01)
    #expect(running.map(\.value) == [1, 1, 1])
    world.advance(4.9)
    #expect(zip(machines, queries).map { $0.client.data(for: $1) } == [2, 2, 2])
    #expect(world.requests.value == 2)
  }

  @Test func aFollowerWhoseLeaderFailedGetsStaleDataWithinItsGrace() {
    let machines = (0..<3).map { _ in world.machine() }
    let queries = machines.map { world.query($0).staleIfError(.seconds(30)) }
    #expect(zip(machines, queries).map { world.value($0, $1) } == [1, 1, 1])
    world.failure.value = Boom()
    world.advance(60)
    let within = zip(machines, queries).map { world.start($0, $1) }
    world.advance(1)
    #expect(within.map(\.value) == [1, 1, 1])
    #expect(world.requests.value == 2)
    world.advance(30)
    let beyond = zip(machines, queries).map { world.start($0, $1) }
    world.advance(1)
    #expect(beyond[0].error is Boom)
    #expect(
      beyond[1...].map { $0.error as? SharedCacheError } == [elsewhere("boom"), elsewhere("boom")]
    )
    #expect(world.requests.value == 3)
  }

  // MARK: Ages

  @Test func dataIsAsOldAsUpstreamsAnswerHoweverLongItsCommitWasOnTheWay() {
    let (first, second) = (world.machine(), world.machine())
    let running = world.start(first)
    // The lease is taken at once, and upstream answers after a second.
    first.link.delay.value = .milliseconds(300)
    world.advance(1.3)
    // The answer is in the store.
    #expect(world.value(second) == 1)
    #expect(second.story == ["hit"])
    world.advance(0.6)
    #expect(running.value == 1)
    let (one, other) = (world.query(first), world.query(second))
    world.advance(59.099)
    #expect([first.client.isStale(one), second.client.isStale(other)] == [false, false])
    world.advance(0.001)
    #expect([first.client.isStale(one), second.client.isStale(other)] == [true, true])
  }

  @Test func anEntryThatIsTooOldByTheWayOfItsCommitIsNoAnswer() {
    let (first, second) = (world.machine(), world.machine())
    let running = world.start(first)
    first.link.delay.value = .milliseconds(300)
    world.advance(1.9)
    #expect(running.value == 1)
    world.advance(59.1)
    world.truth.value = 2
    // A minute after upstream's answer, and not yet a minute after its commit.
    #expect(world.value(second) == 2)
    #expect(second.story == ["leads", "committed"])
  }

  // MARK: Timeouts

  @Test func aLeadersTimeoutIsTheFailureOfItsFollowers() {
    let machines = (0..<4).map { _ in world.machine() }
    world.duration.value = .seconds(3_600)
    let leader = world.start(machines[0], world.query(machines[0]).timeout(.seconds(2)))
    world.advance(1)
    let others = machines[1...].map { world.start($0, world.query($0).timeout(.seconds(2))) }
    world.advance(1)
    #expect(leader.error as? QueryError == .timedOut(key: key, limit: .seconds(2)))
    // Without a code of the program's own, retries and `catch` mean the same everywhere.
    let expected = QueryError.timedOut(key: key, limit: .seconds(2))
    #expect(others.map { $0.error as? QueryError } == [expected, expected, expected])
    #expect(world.requests.value == 1)
    // The next who asks leads at once.
    world.duration.value = .seconds(1)
    #expect(world.value(machines[3]) == 1)
    #expect(world.requests.value == 2)
  }

  @Test func aTimeoutIsToldAtOnceIfUpstreamIgnoresItsCancellation() {
    let (first, second) = (world.machine(), world.machine())
    let query = { (machine: Machine, limit: Duration) in
      Query<Int>("rates", "n") { [requests = world.requests] in
        requests.with { $0 += 1 }
        let scheduling = Scheduling.current
        await Task.detached(executorPreference: scheduling.executor) {
          try? await scheduling.clock.sleep(for: .seconds(100))
        }.value
        return 7
      }.staleTime(.minutes(1)).timeout(limit).shared(through: machine.cache)
    }
    let leader = world.start(first, query(first, .seconds(2)))
    let other = world.start(second, query(second, .seconds(60)))
    world.advance(2)
    #expect(leader.error as? QueryError == .timedOut(key: key, limit: .seconds(2)))
    #expect(other.error as? QueryError == .timedOut(key: key, limit: .seconds(2)))
    // What it answers in the end is not stored.
    world.advance(100)
    #expect(first.story == ["leads"])
    #expect(world.requests.value == 1)
  }

  /// Its lease lasts for half the timeout of the query at most, whatever the configuration says.
  @Test(arguments: [2_000, 5_000, 15_000, 60_000])
  func ofADeadLeaderAnotherTakesOverBeforeItsOwnTimeout(_ milliseconds: Int64) {
    let (first, second) = (world.machine(), world.machine())
    let timeout = Duration.milliseconds(milliseconds)
    world.duration.value = .seconds(3_600)
    let dead = world.start(first, world.query(first).timeout(timeout))
    first.link.fault.value = .hanging
    world.duration.value = .milliseconds(500)
    let waiting = world.start(second, world.query(second).timeout(timeout))
    world.advance(min(Double(milliseconds) / 2_000, 10) - 0.1)
    #expect(!waiting.isOver)
    #expect(world.requests.value == 1)
    world.advance(0.7)
    #expect(waiting.value == 1)
    #expect(world.requests.value == 2)
    dead.task.cancel()
  }

  /// A store that is slow must not end leases whose holders live.
  @Test func aLeaseLastsForAsLongAsTheStoreMayTake() {
    let (first, second) = (world.machine(), world.machine())
    world.duration.value = .milliseconds(30)
    // A call takes 69 ms: half the timeout would be over before the store could renew the lease.
    first.link.delay.value = .milliseconds(23)
    let leader = world.start(first, world.query(first).timeout(.milliseconds(175)))
    world.advance(0.04)
    let follower = world.start(second, world.query(second))
    world.advance(1)
    #expect([leader.value, follower.value] == [1, 1])
    #expect(first.story == ["leads", "committed"])
    #expect(second.story.first == "follows")
    #expect(world.requests.value == 1)
  }

  @Test func anUpstreamThatHangsIsOneRequestForAllWithTheDefaults() {
    let machines = (0..<20).map { _ in world.machine() }
    world.duration.value = .seconds(3_600)
    let running = machines.enumerated().map { number, machine in
      world.advance(0.5)
      return world.start(machine)
    }
    world.advance(20.4)
    #expect(running.map(\.isOver) == Array(repeating: false, count: 20))
    world.advance(0.2)
    #expect(running.map(\.isOver) == Array(repeating: true, count: 20))
    #expect(world.requests.value == 1)
    #expect(machines.flatMap(\.story).filter { $0.hasPrefix("alone") } == [])
  }

  @Test func thoseWhosePatienceEndsDoNotAskAtOnce() {
    let machines = (0..<40).map { _ in world.machine { $0.answerTimeout = .seconds(10) } }
    world.duration.value = .seconds(3_600)
    let running = machines.map { world.start($0, world.query($0).timeout(.seconds(600))) }
    world.advance(9.9)
    #expect(world.requests.value == 1)
    var counts: [Int] = []
    for _ in 0..<11 {
      let before = world.requests.value
      world.advance(0.5)
      counts.append(world.requests.value - before)
    }
    #expect(counts.reduce(0, +) == 39)
    #expect((counts.max() ?? 0) <= 10, "\(counts)")
    for each in running { each.task.cancel() }
  }

  // MARK: Retries

  @Test func retriesOfAllMachinesAreOneRequestForEachRound() {
    let machines = (0..<4).map { _ in world.machine() }
    world.failure.value = Boom()
    let running = machines.map { world.start($0, world.query($0).retry(2) { _ in .seconds(1) }) }
    world.advance(3.5)
    #expect(running.map(\.isOver) == [false, false, false, false])
    #expect(world.requests.value == 2)
    world.advance(1.5)
    #expect(running.map { $0.error != nil } == [true, true, true, true])
    #expect(world.requests.value == 3)
  }

  @Test func aTimeoutIsRetriedByAllTogether() {
    let machines = (0..<4).map { _ in world.machine() }
    world.duration.value = .seconds(3_600)
    let running = machines.map {
      world.start($0, world.query($0).timeout(.seconds(2)).retry(1) { _ in .seconds(1) })
    }
    world.advance(2.5)
    #expect(world.requests.value == 1)
    world.duration.value = .seconds(1)
    world.advance(1.5)
    #expect(running.map(\.value) == [1, 1, 1, 1])
    #expect(world.requests.value == 2)
  }

  // MARK: Failures that last

  private func unknown(_ machine: Machine) -> Query<Int> {
    world.query(machine)
      .cachesFailures(.when { $0 is NotFound ? .minutes(1) : nil })
      .retry(.while { failures, error in failures < 2 && !(error is NotFound) })
  }

  @Test func aFailureWithACodeIsTheSameErrorOnAllMachines() {
    let machines = (0..<3).map { _ in
      world.machine { configuration in
        configuration.failureCode = { $0 is NotFound ? "404" : nil }
        configuration.failureOfCode = { $0 == "404" ? NotFound() : nil }
      }
    }
    world.failure.value = NotFound()
    let running = machines.map { world.start($0, unknown($0)) }
    world.advance(1)
    #expect(running.map { $0.error is NotFound } == [true, true, true])
    // It is not retried, and lasts.
    world.advance(50)
    let again = machines.map { world.start($0, unknown($0)) }
    #expect(again.map { $0.error is NotFound } == [true, true, true])
    #expect(world.requests.value == 1)
    world.advance(11)
    _ = machines.map { world.start($0, unknown($0)) }
    world.advance(1)
    #expect(world.requests.value == 2)
  }

  @Test func aCodeThatAMachineDoesNotKnowIsAFailureElsewhere() {
    let first = world.machine { $0.failureCode = { _ in "404" } }
    let second = world.machine()
    world.failure.value = NotFound()
    let running = [first, second].map { world.start($0) }
    world.advance(1)
    #expect(running[0].error is NotFound)
    #expect(running[1].error as? SharedCacheError == elsewhere("not found"))
    #expect(second.story == ["follows", "failed elsewhere: not found"])
  }

  // MARK: Room

  @Test func whoWaitsForAnotherMachineHoldsItsTurn() {
    let first = world.machine()
    let second = world.machine(fetchesAtOnce: 1)
    let leading = world.start(first, world.query(first, "a"))
    let following = world.start(second, world.query(second, "a"))
    let other = world.start(second, world.query(second, "b"))
    world.advance(1)
    #expect([leading.value, following.value] == [1, 1])
    #expect(!other.isOver)
    world.advance(1)
    #expect(other.value == 1)
  }
}
