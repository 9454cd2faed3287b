import StreamQueryTesting
import Testing

struct DeterminismTests {
  private actor Ledger {
    private(set) var lines: [String] = []
    func write(_ line: String) { lines.append(line) }
  }

  private struct Course: Hashable {
    var trace: [String]
    var hash: UInt64
    var jobs: Int
  }

  /// Actors, streams, groups, `async let` and sleeps that meet at the same instants.
  private func course(seed: UInt64) -> Course {
    let simulation = Simulation(seed: seed)
    let ledger = Ledger()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let trace = simulation.run {
      simulation.task("consumer") {
        for await number in stream { await ledger.write("stream \(number)") }
        await ledger.write("stream ended")
      }
      await withTaskGroup(of: Void.self) { group in
        for child in 0..<4 {
          group.addTask {
            await ledger.write("child \(child)")
            try? await simulation.clock.sleep(for: .milliseconds(10))
            continuation.yield(child)
            await ledger.write("child \(child) woke")
          }
        }
      }
      async let left: Void = ledger.write("left")
      async let right: Void = ledger.write("right")
      _ = await (left, right)
      continuation.finish()
      try? await simulation.clock.sleep(for: .milliseconds(1))
      return await ledger.lines
    }
    expectEmpty(simulation.failures)
    expect(simulation.isIdle)
    return Course(trace: trace, hash: simulation.scheduleHash, jobs: simulation.jobCount)
  }

  @Test func theSameSeedTakesTheSameCourse() {
    for seed in 0..<2_000 as Range<UInt64> {
      let first = course(seed: seed)
      expectEqual(first, course(seed: seed))
      expectEqual(first.trace.count, 15)
    }
  }

  @Test func differentSeedsExploreDifferentInterleavings() {
    let traces = Set((0..<200 as Range<UInt64>).map { course(seed: $0).trace })
    #expect(traces.count > 50)
  }

  @Test func theScheduleHashTellsCoursesApart() {
    let courses = (0..<200 as Range<UInt64>).map { course(seed: $0) }
    #expect(Set(courses.map(\.hash)).count >= Set(courses.map(\.trace)).count)
  }

  @Test func seedZeroRunsInOrderOfArrival() {
    let simulation = Simulation()
    let collected = Collected<Int>()
    for number in 0..<3_000 { simulation.task { collected.append(number) } }
    simulation.settle()
    expectEqual(collected.lines, Array(0..<3_000))
  }

  @Test func drawingNumbersRepeatsAndLeavesTheScheduleAlone() {
    func order(drawing: Bool) -> [Int] {
      let simulation = Simulation(seed: 9)
      let collected = Collected<Int>()
      for number in 0..<20 {
        if drawing { _ = simulation.nextRandom() }
        simulation.task { collected.append(number) }
      }
      simulation.settle()
      return collected.lines
    }
    expectEqual(order(drawing: true), order(drawing: false))
    expect(order(drawing: true) != Array(0..<20))
    expectEqual(Simulation(seed: 3).nextRandom(), Simulation(seed: 3).nextRandom())
    expect(Simulation(seed: 3).nextRandom() != Simulation(seed: 4).nextRandom())
  }
}
