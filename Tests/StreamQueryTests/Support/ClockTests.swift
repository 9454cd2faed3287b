import StreamQuery
import StreamQueryTesting
import Testing

/// What the client asks of its clock.
struct ClockTests {
  let simulation = Simulation(seed: 5)

  /// A clock that counts what is asked of it, and throws on demand.
  struct CountingClock: Clock {
    typealias Instant = SimulationClock.Instant

    struct Counts: Equatable {
      var sleeps = 0
      var present = 0
      var most = 0
      var cancelled = 0
      var failuresLeft = 0
    }

    let clock: SimulationClock
    let counts = Dial(Counts())

    var now: Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      let fails = counts.with { counts in
        counts.sleeps += 1
        counts.failuresLeft -= 1
        if counts.failuresLeft < 0 {
          counts.present += 1
          counts.most = max(counts.most, counts.present)
        }
        return counts.failuresLeft >= 0
      }
      if fails { throw Boom(counts.value.failuresLeft) }
      defer { counts.with { $0.present -= 1 } }
      do {
        try await clock.sleep(until: deadline, tolerance: tolerance)
      } catch {
        counts.with { $0.cancelled += 1 }
        throw error
      }
    }
  }

  @Test func shortDeadlinesUnderALongOneCancelNoSleep() {
    let clock = CountingClock(clock: simulation.backgroundClock)
    let misuses = Notes<QueryMisuse>()
    var client: QueryClient? = QueryClient(simulation: simulation) {
      $0.clock = clock
      $0.onMisuse = { misuses.add($0) }
    }
    // Kept for five minutes.
    client?.setData(0, for: "long")
    simulation.settle()
    expectEqual(clock.counts.value.present, 1)
    let query = Query.scripted("short", ScriptedFetch(.value(0))).staleTime(.milliseconds(1))
    let recording = client.map { simulation.record($0.stream(query)) }
    let count = Seeds.times(10_000, orElse: 2_000)
    for number in 1...count {
      client?.setData(number, for: "short")
      simulation.advance(by: .milliseconds(2))
    }
    expectEqual(clock.counts.value.cancelled, 0)
    expectEqual(clock.counts.value.most, 2)
    expectEqual(clock.counts.value.present, 1)
    // Each is met exactly.
    let stale = recording?.values.filter(\.isStale) ?? []
    #expect(stale.count >= count)
    recording?.cancel()
    simulation.settle()
    client = nil
    simulation.settle()
    expectEqual(clock.counts.value.present, 0, "all sleepers end with the client")
    expectEqual(simulation.leakReport(), [])
    expectEqual(misuses.all, [])
  }

  @Test(arguments: [1, 2]) func aClockThatThrowsOnceDoesNotStopIntervals(failures: Int) {
    let clock = CountingClock(clock: simulation.backgroundClock)
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) {
      $0.clock = clock
      $0.onMisuse = { misuses.add($0) }
    }
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = Query.scripted("n", fetch).refetchInterval(.seconds(1))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(2_500))
    expectEqual(fetch.callCount, 3)
    // The next sleep, and perhaps the one after it.
    clock.counts.with { $0.failuresLeft = failures }
    simulation.advance(by: .seconds(10))
    expectEqual(fetch.callCount, 13)
    expectEqual(misuses.all, [])
    recording.cancel()
  }

  @Test func aClockThatThrowsTimeAndAgainIsReportedOnceAndTriedAgainWithTheNextTurn() {
    let clock = CountingClock(clock: simulation.backgroundClock)
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) {
      $0.clock = clock
      $0.onMisuse = { misuses.add($0) }
    }
    let fetch = ScriptedFetch<Int>(.value(1))
    clock.counts.with { $0.failuresLeft = .max }
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).refetchInterval(.seconds(1)))
    )
    simulation.advance(by: .seconds(10))
    expectEqual(fetch.callCount, 1)
    expectEqual(misuses.count, 1)
    expectEqual(misuses.all.first?.description.contains("sleep(until:tolerance:) 3 times"), true)
    let sleeps = clock.counts.value.sleeps
    #expect(sleeps <= 9, "it does not spin")
    // Used again, it is tried again.
    client.setData(2, for: "other")
    simulation.settle()
    #expect(clock.counts.value.sleeps > sleeps)
    expectEqual(misuses.count, 1)
    clock.counts.with { $0.failuresLeft = 0 }
    client.setData(3, for: "other")
    simulation.advance(by: .milliseconds(5_500))
    // What was due meanwhile is made up for once.
    expectEqual(fetch.callCount, 7)
    recording.cancel()
  }
}
