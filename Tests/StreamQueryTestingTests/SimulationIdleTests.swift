import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

struct SimulationIdleTests {
  @Test func theLeakReportNamesWhatIsLeft() {
    let simulation = Simulation()
    let fetch = ScriptedFetch<Int>(.suspended)
    simulation.task("upload") { _ = try? await fetch() }
    expectEqual(
      simulation.leakReport(),
      [
        "jobs that are ready but have not run: 1", "unfinished task: upload",
      ]
    )
    simulation.settle()
    expectEqual(simulation.leakReport(), ["unfinished task: upload"])
    expect(!simulation.isIdle)
    fetch.release(returning: 1)
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
    expect(simulation.isIdle)
  }

  @Test func probesOfClientsDecideWithTheRest() {
    let simulation = Simulation()
    let shared = Probe(lines: ["fetch of [user, 1]"])
    simulation.register { Liveness(unfinished: shared.lines.withLock { $0 }) }
    expect(!simulation.isIdle)
    expectEqual(simulation.leakReport(), ["fetch of [user, 1]"])
    shared.lines.withLock { $0 = [] }
    expect(simulation.isIdle)
  }

  private final class Probe: Sendable {
    let lines: Mutex<[String]>
    init(lines: [String]) { self.lines = Mutex(lines) }
  }

  @Test func backgroundSleepersAreNotBusyButStillWake() {
    let simulation = Simulation()
    let collected = Collected<Duration>()
    let timer = Task(executorPreference: simulation.executor) {
      try? await simulation.backgroundClock.sleep(for: .seconds(5))
      collected.append(simulation.now)
    }
    simulation.settle()
    expect(simulation.isIdle)
    simulation.advance(by: .seconds(9))
    expectEqual(collected.lines, [.seconds(5)])
    simulation.run { await timer.value }
  }

  @Test func shuttingDownEndsTasksAndSleepers() {
    let simulation = Simulation()
    let fetch = ScriptedFetch<Int>(.never)
    simulation.task("fetch") { _ = try? await fetch() }
    Task(executorPreference: simulation.executor) {
      try? await simulation.clock.sleep(for: .seconds(5))
    }
    simulation.settle()
    expectEqual(simulation.leakReport().count, 2)
    simulation.shutDown()
    expectEqual(simulation.leakReport(), [])
    expectEqual(simulation.now, .zero)
  }

  @Test func shuttingDownEndsRecordings() {
    let simulation = Simulation()
    let clock = simulation.clock
    let ticks = simulation.record(
      AsyncStream<Duration> {
        try? await clock.sleep(for: .seconds(1))
        return Task.isCancelled ? nil : clock.now.offset
      }
    )
    simulation.advance(by: .seconds(2))
    simulation.shutDown()
    expectEqual(ticks.values, [.seconds(1), .seconds(2)])
    expect(ticks.isFinished)
  }

  @Test func shuttingDownWakesWhatSleepsAgain() {
    let simulation = Simulation()
    let clock = simulation.clock
    let executor = simulation.executor
    simulation.task("callback") {
      try? await clock.sleep(for: .seconds(1))
      // A task of its own hears of no cancellation.
      await Task(executorPreference: executor) { try? await clock.sleep(for: .seconds(1)) }.value
    }
    simulation.settle()
    simulation.shutDown()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func releasingASimulationEndsWhatWaitsInIt() {
    let ended = Collected<String>()
    do {
      let simulation = Simulation()
      let client = QueryClient(simulation: simulation)
      let clock = simulation.clock
      simulation.task("sleeper") {
        try? await clock.sleep(for: .seconds(1))
        ended.append("sleeper")
      }
      simulation.task("consumer") {
        for await _ in client.stream(Query<Int>("n", fetch: ScriptedFetch(.never))) {}
        ended.append("consumer")
      }
      simulation.settle()
      expectEqual(ended.lines, [])
    }
    expectEqual(ended.lines.sorted(), ["consumer", "sleeper"])
  }

  @Test func aClientThatOutlivesItsSimulationReportsNoHitsUntilItEnds() throws {
    let told = Collected<String>()
    let client: QueryClient
    do {
      let simulation = Simulation()
      client = QueryClient(simulation: simulation) {
        $0.readShards = 4
        $0.eventReceivers = [
          EventReceiver(hits: { key, count in told.append("\(count) hits \(key)") }, { _ in })
        ]
      }
      let query = Query("n") { 7 }.staleTime(.minutes(1))
      for _ in 0..<6 { try expectEqual(simulation.run { try await client.fetch(query) }, 7) }
      expectEqual(told.lines, [])
    }
    expectEqual(told.lines, [])
    client.shutDown()
    expectEqual(told.lines, [#"4 hits ["n"]"#])
  }

  @Test func whatOutlivesItsSimulationEndsOnOrdinaryThreads() async {
    var simulation: Simulation? = Simulation()
    // Present: it was made in the line above.
    guard let executor = simulation?.executor, let clock = simulation?.clock else { return }
    simulation = nil
    let sleeper = Task(executorPreference: executor) {
      do {
        try await clock.sleep(for: .seconds(1))
        return "slept"
      } catch {
        return "cancelled"
      }
    }
    await expectEqual(sleeper.value, "cancelled")
  }
}
