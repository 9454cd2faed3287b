import Dispatch
import StreamQueryTesting
import Testing

/// Jobs that other threads bring into a simulation: they are reported, and run where it is driven.
struct SimulationRunThreadTests {
  @Test func aJobFromAForeignThreadIsReportedAndRunsOnTheDrivingThread() {
    let delivered = Collected<String>()
    let simulation = Simulation(onFailure: { delivered.append($0) })
    let collected = Collected<String>()
    let done = DispatchSemaphore(value: 0)
    // A queue of its own: the pool's threads may all be busy with tests that wait like this one.
    DispatchQueue(label: "foreign").async {
      for name in ["first", "second"] {
        Task(executorPreference: simulation.executor) { collected.append(name) }
      }
      done.signal()
    }
    done.wait()
    expectEqual(collected.lines, [])
    expectEqual(delivered.lines, [])
    simulation.settle()
    expectEqual(collected.lines, ["first", "second"])
    expectEqual(delivered.lines, simulation.failures)
    expectEqual(delivered.lines.count, 1)
    expectEqual(delivered.lines.first?.contains("foreign thread"), true)
    expectEqual(delivered.lines.first?.contains("executorPreference: simulation.executor"), true)
  }

  @Test func aForeignJobDuringADriveDoesNotRunConcurrently() {
    // Its failure stays in the list: the test provokes it.
    let simulation = Simulation(onFailure: { _ in })
    let collected = Collected<String>()
    simulation.task {
      collected.append("begin")
      let group = DispatchGroup()
      DispatchQueue(label: "foreign").async(group: group) {
        Task(executorPreference: simulation.executor) { collected.append("foreign") }
      }
      group.wait()
      collected.append("end")
    }
    simulation.settle()
    expectEqual(collected.lines, ["begin", "end", "foreign"])
    expectEqual(simulation.failures.count, 1)
  }
}
