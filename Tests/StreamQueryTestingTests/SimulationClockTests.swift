#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import StreamQueryTesting
import Testing

struct SimulationClockTests {
  @Test func sleepersWakeInOrderOfDeadlineAndTiesInOrderOfRegistration() {
    let simulation = Simulation()
    let collected = Collected<String>()
    for (name, seconds) in [("a", 3), ("b", 1), ("c", 2), ("d", 1)] {
      simulation.task {
        try? await simulation.clock.sleep(for: .seconds(seconds))
        collected.append("\(name) \(simulation.now)")
      }
    }
    simulation.advance(by: .seconds(2))
    expectEqual(collected.lines, ["b 1.0 seconds", "d 1.0 seconds", "c 2.0 seconds"])
    expectEqual(simulation.now, .seconds(2))
    expectEqual(simulation.leakReport(), ["sleepers on the clock: 1", "unfinished task: task"])
    simulation.advance(to: .init(offset: .seconds(10)))
    expectEqual(collected.lines.last, "a 3.0 seconds")
    expectEqual(simulation.now, .seconds(10))
    expect(simulation.isIdle)
  }

  @Test func whatAWakingTaskDoesHappensBeforeTheNextWakes() {
    let simulation = Simulation()
    let collected = Collected<String>()
    for name in ["a", "b"] {
      simulation.task {
        try? await simulation.clock.sleep(for: .seconds(1))
        await Task(executorPreference: simulation.executor) { collected.append(name + "1") }.value
        collected.append(name + "2")
      }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(collected.lines, ["a1", "a2", "b1", "b2"])
  }

  @Test(arguments: [Duration.zero, .seconds(-5)])
  func anEmptySleepLetsOthersRunAndTakesNoTime(duration: Duration) {
    let simulation = Simulation()
    let collected = Collected<String>()
    simulation.task {
      try? await simulation.clock.sleep(for: duration)
      collected.append("sleeper")
    }
    simulation.task { collected.append("other") }
    simulation.settle()
    expectEqual(collected.lines, ["other", "sleeper"])
    expectEqual(simulation.now, .zero)
  }

  @Test func withASeedAnEmptySleepMayEndBeforeOthersRun() {
    let orders = (1...20 as ClosedRange<UInt64>).map { seed in
      let simulation = Simulation(seed: seed)
      let collected = Collected<String>()
      simulation.task {
        try? await simulation.clock.sleep(for: .zero)
        collected.append("sleeper")
      }
      simulation.task { collected.append("other") }
      simulation.settle()
      return collected.lines
    }
    expectEqual(Set(orders), [["other", "sleeper"], ["sleeper", "other"]])
  }

  @Test func aCancelledSleepThrowsAtOnce() {
    let simulation = Simulation()
    let task = simulation.task { try await simulation.clock.sleep(for: .seconds(60)) }
    simulation.settle()
    task.cancel()
    simulation.settle()
    expect(simulation.isIdle)
    expectEqual(simulation.now, .zero)
    #expect(throws: CancellationError.self) { try simulation.run { try await task.value } }
  }

  @Test func aSleepOfATaskThatIsAlreadyCancelledThrows() {
    let simulation = Simulation()
    let task = simulation.task { try await simulation.clock.sleep(for: .seconds(60)) }
    task.cancel()
    #expect(throws: CancellationError.self) { try simulation.run { try await task.value } }
    expectEqual(simulation.now, .zero)
  }

  @Test func cancelledSleepersNeitherWakeNorStopTime() {
    let simulation = Simulation()
    let tasks = (1...500).map { second in
      simulation.task { try await simulation.clock.sleep(for: .seconds(second)) }
    }
    simulation.settle()
    for task in tasks.dropFirst() { task.cancel() }
    simulation.settle()
    expectEqual(simulation.leakReport().first, "sleepers on the clock: 1")
    let jobs = simulation.jobCount
    simulation.advance(by: .seconds(1_000))
    expectEqual(simulation.jobCount, jobs + 1)
  }

  @Test func enormousDurationsDoNotOverflow() {
    let simulation = Simulation()
    let longest = Duration.seconds(Int64.max)
    for _ in 0..<100 { simulation.advance(by: longest) }
    simulation.task { try? await simulation.clock.sleep(for: longest) }
    simulation.advance(by: longest)
    expect(simulation.isIdle)
    let instant = simulation.clock.now
    #expect(instant.advanced(by: .zero - longest) < instant)
  }

  @Test func advancingBackwardsOnlySettles() {
    let simulation = Simulation()
    simulation.advance(by: .seconds(5))
    let task = simulation.task { 1 }
    simulation.advance(by: .seconds(-3))
    expectEqual(simulation.now, .seconds(5))
    expect(simulation.isIdle)
    expectEqual(simulation.run { await task.value }, 1)
  }

  @Test func theWallClockFollowsVirtualTimeAndJumps() {
    let simulation = Simulation()
    expectEqual(simulation.date.timeIntervalSince1970, 2_000_000_000)
    simulation.advance(by: .seconds(90))
    expectEqual(simulation.date.timeIntervalSince1970, 2_000_000_090)
    simulation.setWallClock(offset: .seconds(-3_600))
    expectEqual(simulation.date.timeIntervalSince1970, 1_999_996_490)
    expectEqual(simulation.now, .seconds(90))
  }
}
