import StreamQueryTesting
import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// Turns at a place, without a lock.
struct StoreTurnsTests {
  private let simulation = Simulation()
  private let turns = StoreTurns<String>()
  private let log = Notes<String>()

  private struct Broken: Error {}

  @Test func whoComesFirstHasTheTurnAndPlacesDoNotWaitForEachOther() {
    let held = simulation.task {
      await turns.begin("a")
      try? await Scheduling.current.clock.sleep(for: .seconds(1))
      turns.end("a")
    }
    simulation.settle()
    let tasks = (0..<5).map { number in
      let task = simulation.task { await turns.take("a") { log.add("\(number)") } }
      simulation.settle()
      return task
    }
    // A cancelled caller keeps its place.
    tasks[2].cancel()
    let other = simulation.task { await turns.take("b") { log.add("b") } }
    simulation.settle()
    expectEqual(log.all, ["b"])
    simulation.advance(by: .seconds(1))
    expectEqual(log.all, ["b", "0", "1", "2", "3", "4"])
    _ = (held, other)
  }

  @Test func whoFailsPassesTheTurnOn() {
    for _ in 0..<2 {
      let task = simulation.task {
        try await turns.take("a") { () throws(Broken) in throw Broken() }
      }
      simulation.settle()
      _ = simulation.run { await #expect(throws: Broken.self) { try await task.value } }
    }
  }
}
