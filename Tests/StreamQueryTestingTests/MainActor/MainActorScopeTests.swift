import StreamQuery
import Synchronization
import Testing

@testable import StreamQueryTesting

/// What belongs to a simulation that holds the main actor, what it says of the rest, and its limits.
@MainActor struct MainActorScopeTests {
  private struct Refused: Error, Equatable {}

  // MARK: What belongs to it

  @Test func plainTasksRunWhenTheSimulationIsDriven() {
    Simulation.onMainActor { simulation in
      let lines = Collected<String>()
      Task { lines.append("main") }
      Task.detached { lines.append("detached") }
      Task { @concurrent in lines.append("pool") }
      expectEqual(lines.lines, [])
      simulation.settle()
      expectEqual(lines.lines, ["main", "detached", "pool"])
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func theMainActorKeepsTheOrderOfItsJobs(seed: UInt64) {
    Simulation.onMainActor(seed: seed) { simulation in
      let lines = Collected<Int>()
      for number in 0..<20 { Task { lines.append(number) } }
      for number in 20..<40 { Task.detached { lines.append(number) } }
      simulation.settle()
      expectEqual(lines.lines.filter { $0 < 20 }, Array(0..<20))
      if seed != 0 { expect(lines.lines.filter { $0 >= 20 } != Array(20..<40)) }
    }
  }

  /// The real main actor does not suspend either when one of its functions awaits another.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func callsWithinTheMainActorDoNotSuspend(seed: UInt64) throws {
    func check(_ simulation: Simulation) {
      let lines = Collected<String>()
      for name in ["first", "second"] {
        Task {
          lines.append(name)
          await Self.append(name, to: lines)
          await Self.append(name, to: lines)
        }
      }
      simulation.settle()
      expectEqual(lines.lines, ["first", "first", "first", "second", "second", "second"])
    }
    Simulation.onMainActor(seed: seed) { check($0) }
    try Simulation.onMainActor(seed: seed) { simulation in
      let lines = Collected<String>()
      let other = Task { lines.append("other") }
      await Self.append("body", to: lines)
      await Self.append("body", to: lines)
      expectEqual(lines.lines, ["body", "body"])
      await other.value
      try await simulation.settled()
      expectEqual(lines.lines, ["body", "body", "other"])
    }
  }

  private static func append(_ line: String, to lines: Collected<String>) async {
    lines.append(line)
  }

  @Test func isolationIsWhatItIsInTheApp() {
    Simulation.onMainActor { simulation in
      let lines = Collected<String>()
      lines.append(Self.assumed("body"))
      Task { lines.append(Self.assumed("task")) }
      Task.detached {
        lines.append(Self.isOnMainActor ? "main" : "detached")
        await MainActor.run { lines.append(Self.assumed("run")) }
      }
      simulation.task { lines.append(Self.isOnMainActor ? "main" : "elsewhere") }
      simulation.settle()
      expectEqual(lines.lines, ["body", "task", "elsewhere", "detached", "run"])
    }
    MainActor.preconditionIsolated()
  }

  /// Traps if this is not the main actor.
  private nonisolated static func assumed<Value: Sendable>(_ value: Value) -> Value {
    MainActor.assumeIsolated { value }
  }

  private nonisolated static var isOnMainActor: Bool {
    MainStandIn.ofThisThread?.isIsolatingCurrentContext() == true
  }

  @Test func operatorsAndScriptsUseTheSimulationsClock() {
    let fetch = ScriptedFetch<Int>(.value(7, after: .seconds(3600)))
    let value = Simulation.onMainActor { simulation in
      let value = Mutex<Int?>(nil)
      Task {
        let fetched = try await fetch()
        value.withLock { $0 = fetched }
      }
      simulation.advance(by: .seconds(3600))
      return value.withLock { $0 }
    }
    expectEqual(value, 7)
  }

  @Test func theBodysValueAndErrorComeOut() {
    let value = Simulation.onMainActor { _ in 42 }
    expectEqual(value, 42)
    let result = Result { () throws(Refused) in
      try Simulation.onMainActor { (_: Simulation) throws(Refused) -> Int in throw Refused() }
    }
    expectEqual(result, .failure(Refused()))
  }

  // MARK: An asynchronous body

  @Test(arguments: 0..<50 as Range<UInt64>)
  func anAsynchronousBodyRunsToItsEnd(seed: UInt64) throws {
    let number = try Simulation.onMainActor(seed: seed) { simulation in
      let client = QueryClient(simulation: simulation)
      let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(2)))
      let number = try await client.fetch(Query("number", fetch: fetch))
      expectEqual(Self.assumed(1), number)
      expectEqual(simulation.now, .seconds(2))
      return number
    }
    expectEqual(number, 1)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func anAsynchronousBodyWaitsUntilAllIsSettled(seed: UInt64) throws {
    try Simulation.onMainActor(seed: seed) { simulation in
      let lines = Collected<Duration>()
      for _ in 0..<5 {
        Task {
          try await simulation.clock.sleep(for: .seconds(1))
          await Task.detached { await Task.detached {}.value }.value
          lines.append(simulation.now)
        }
      }
      try await simulation.settled()
      expectEmpty(lines.lines)
      try await simulation.settled(after: .seconds(1))
      expectEqual(lines.lines, Array(repeating: .seconds(1), count: 5))
      expectEqual(simulation.now, .seconds(1))
    }
  }

  @Test func anAsynchronousBodyThatWaitsForEverFails() {
    let failures = Collected<String>()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    Simulation.onMainActor(onFailure: { failures.append($0) }) { _ in
      for await _ in stream {}
    }
    expectEqual(failures.lines.count, 1)
    expectEqual(failures.lines.first?.contains("would wait for ever"), true)
    continuation.finish()
  }

  // MARK: Its end

  @Test func streamsEndWithTheScope() {
    let lines = Collected<String>()
    let escaped = Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)))
      Task {
        for await result in client.stream(Query("number", fetch: fetch)) {
          lines.append("\(result.data, default: "none")")
        }
        lines.append("ended")
      }
      simulation.settle()
      simulation.advance(by: .seconds(1))
      return simulation
    }
    expectEqual(lines.lines, ["none", "1", "ended"])
    // No world any more: nothing runs, and nothing hangs.
    escaped.advance(by: .seconds(1))
    expectEqual(escaped.failures, [])
  }

  @Test func waitsEndWithTheScope() {
    let lines = Collected<String>()
    Simulation.onMainActor { simulation in
      Task {
        do {
          try await simulation.clock.sleep(for: .seconds(1))
        } catch {
          lines.append("\(error)")
        }
      }
      simulation.settle()
    }
    expectEqual(lines.lines, ["CancellationError()"])
  }

  @Test func theRealMainActorGoesOnAfterwards() async {
    let handle = Simulation.onMainActor { _ in Task { 1 } }
    await expectEqual(handle.value, 1)
    let answer = await Task { Self.assumed(2) }.value
    expectEqual(answer, 2)
  }

  // MARK: Clients that are made without it

  /// What is asked of such a client: each would be answered in real time, or never.
  enum Foreign: CaseIterable {
    case fetch, stream, mutation, observer

    @MainActor func ask(_ client: QueryClient, _ held: Collected<any Sendable>) {
      let query = Query<Int>("foreign") { 1 }
      switch self {
      case .fetch: Task { try await client.fetch(query) }
      case .stream: Task { for await _ in client.stream(query) {} }
      case .mutation:
        Task { try await client.mutate(Mutation<Int, Int>("foreign") { $0 }, with: 1) }
      case .observer: held.append(client.observer(of: query))
      }
    }
  }

  @Test(arguments: Foreign.allCases)
  func aClientThatWasMadeWithoutItFailsTheTestWithWords(foreign: Foreign) {
    let failures = Collected<String>()
    let client = QueryClient(
      configuration: .init(connectivity: .alwaysOnline, activity: .alwaysActive)
    )
    Simulation.onMainActor(onFailure: { failures.append($0) }) { simulation in
      let held = Collected<any Sendable>()
      for _ in 1...2 { foreign.ask(client, held) }
      simulation.settle()
      withExtendedLifetime(held) {}
    }
    let about = failures.lines.filter { $0.contains("made without the simulation") }
    expectEqual(about.count, 1)
    expectEqual(about.first?.contains("foreign"), true)
    expectEqual(about.first?.contains("QueryClient(simulation:)"), true)
    client.shutDown()
  }

  @Test func aClientThatIsOnlyReadAndWrittenMayBeMadeWithoutIt() {
    let client = QueryClient(
      configuration: .init(connectivity: .alwaysOnline, activity: .alwaysActive)
    )
    Simulation.onMainActor { simulation in
      client.setData(1, for: "n")
      let data: Int? = client.data(for: "n")
      expectEqual(data, 1)
      simulation.settle()
    }
    client.shutDown()
  }

  // MARK: Where it cannot be

  @Test func insideAnotherItFailsWithWords() {
    let failures = Collected<String>()
    Simulation.onMainActor { simulation in
      Simulation.onMainActor(onFailure: { failures.append($0) }) { _ in
        failures.append("must not run")
      }
      #expect(throws: SimulationError.self) {
        try Simulation.onMainActor(onFailure: { _ in }) { _ in throw Refused() }
      }
      Task { failures.append("still simulated") }
      simulation.settle()
    }
    expectEqual(failures.lines.count, 2)
    expectEqual(failures.lines.first?.contains("inside another one"), true)
    expectEqual(failures.lines.last, "still simulated")
  }
}
