import MetricsTestKit
import StreamQuery
import StreamQueryShared
import StreamQuerySharedServer
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

/// What happens between clients and the store of many machines is in the log, the metrics and the spans.
struct SharedCacheGlueTests {
  let machines = Machines()
  var simulation: Simulation { machines.simulation }

  @Test func whoLedWhoFollowedAndWhoFoundItIsTold() throws {
    let (first, second, third) = try (machines.machine(), machines.machine(), machines.machine())
    #expect(machines.lines() == Array(repeating: "notice: log of changes is read", count: 3))
    first.ask(first.query())
    simulation.advance(by: .milliseconds(400))
    second.ask(second.query())
    simulation.advance(by: .seconds(1))
    #expect(
      machines.counted() == [
        "test.fetches result=led": 1, "test.fetches result=followed": 1,
        "test.fetches result=hit": 1, "test.commits": 1,
      ]
    )
    #expect(
      machines.lines("key", "age") == [
        #"debug: fetch asks upstream for all machines key=["n", 1]"#,
        #"debug: fetch waits for another machine key=["n", 1]"#,
        #"debug: answer stored for all machines key=["n", 1]"#,
        #"debug: fetch took the store's entry key=["n", 1] age=0.0"#,
      ]
    )
    #expect(machines.spans() == ["led succeeded", "followed succeeded"])
    simulation.advance(by: .milliseconds(1600))
    third.ask(third.query())
    #expect(machines.counted() == ["test.fetches result=hit": 1])
    #expect(machines.spans() == ["hit succeeded"])
    #expect(
      machines.metrics.timers(label: "test.hit.age").flatMap(\.values) == [0, 2_000_000_000]
    )
  }

  @Test func whatOthersChangedIsCounted() throws {
    let (first, second) = try (machines.machine(), machines.machine())
    simulation.advance(by: .seconds(1))
    for part in 1...3 {
      first.ask(first.query(part, taking: .zero))
      second.ask(second.query(part, taking: .zero))
    }
    _ = (machines.counted(), machines.lines())
    try simulation.run { try await first.cache.invalidate(tags: "numbers") }
    simulation.settle()
    #expect(machines.counted() == ["test.distrusted reason=invalidated": 3])
    #expect(machines.lines("count") == ["debug: other machines changed data count=3"])
    for part in 1...3 { second.ask(second.query(part, taking: .zero)) }
    _ = (machines.counted(), machines.lines())
    machines.store.forget()
    simulation.advance(by: .seconds(10))
    #expect(machines.counted()["test.gaps"] == 2)
    #expect(machines.lines().contains { $0.hasPrefix("warning: messages of the log were lost") })
  }

  @Test func aStoreThatIsAwayIsAnAlarm() throws {
    let machine = try machines.machine { $0.trust = .seconds(2) }
    let level = { machines.metrics.meters(label: "test.store.away").compactMap(\.lastValue).last }
    machine.ask(machine.query(1, taking: .zero))
    _ = (machines.counted(), machines.lines(), machines.spans())
    machines.store.crash()
    simulation.settle()
    machine.ask(machine.query(2))
    #expect(level() == 1)
    simulation.advance(by: .seconds(3))
    #expect(
      machines.counted() == [
        "test.store.outages": 1, "test.fetches result=alone": 1,
        "test.alone reason=storeAway": 1, "test.distrusted reason=untrusted": 2,
      ]
    )
    let lines = machines.lines("reason", "count")
    #expect(
      lines == [
        "error: store does not answer",
        "debug: fetch asks upstream for this machine alone reason=storeAway",
        "warning: log was out of reach for too long, data is not trusted count=1",
        "warning: log was out of reach for too long, data is not trusted count=1",
      ]
    )
    #expect(machines.spans() == ["alone storeAway succeeded"])
    machines.store.restart()
    simulation.advance(by: .seconds(30))
    #expect(level() == 0)
    #expect(machines.lines() == ["notice: store answers again"])
  }

  /// A server may release the cache of a tenant during an outage.
  @Test func aCacheThatIsReleasedCountsAsAwayNoLonger() throws {
    let level = { machines.metrics.meters(label: "test.store.away").compactMap(\.lastValue).last }
    do {
      let machine = try machines.machine(reads: false)
      machines.store.crash()
      // The query does not retain the cache.
      machine.ask(Query<Int>("n", 1) { 1 }.shared())
      simulation.advance(by: .seconds(5))
      withExtendedLifetime(machine) { #expect(level() == 1) }
    }
    simulation.settle()
    #expect(level() == 0)
  }

  @Test func whyAFetchAskedAloneIsTold() throws {
    let machine = try machines.machine { $0.maxValueBytes = 3 }
    machine.ask(machine.query(1_234, taking: .zero))
    #expect(machines.spans() == ["alone tooLarge succeeded"])
    #expect(
      machines.counted() == [
        "test.fetches result=led": 1, "test.fetches result=alone": 1,
        "test.alone reason=tooLarge": 1,
      ]
    )
  }

  /// A fetch has one span for all of its attempts.
  @Test func anAttemptForAllMachinesHasNoReasonOfTheLonelyOneBefore() throws {
    let machine = try machines.machine()
    let upstream = ScriptedFetch<Int>(.failure(Outage()), .value(1))
    let query = Query("n", 1, fetch: upstream)
      .retry(1) { _ in .seconds(30) }
      .shared(through: machine.cache)
    machines.store.crash()
    simulation.settle()
    machine.ask(query)
    simulation.advance(by: .seconds(5))
    #expect(upstream.callCount == 1)
    machines.store.restart()
    simulation.advance(by: .minutes(1))
    #expect(machines.spans() == ["led succeeded"])
  }

  @Test func aFailureElsewhereIsCountedAndMayBeRedacted() throws {
    let first = try machines.machine()
    var log = SharedCacheLogSample.log(to: machines.handler)
    log.describeKey = { _ in "a key" }
    log.describeError = { _ in "an error" }
    let second = try machines.machine { [log] in
      $0.eventReceivers.removeFirst()
      $0.log(with: log)
    }
    first.ask(first.query(-1))
    second.ask(second.query(-1))
    _ = machines.lines()
    simulation.advance(by: .seconds(1))
    #expect(machines.counted()["test.failures.elsewhere"] == 1)
    #expect(
      machines.lines("key", "error") == [
        "debug: fetch failed on another machine key=a key error=an error"
      ]
    )
    #expect(machines.spans().sorted() == ["followed failed", "led failed"])
  }
}
