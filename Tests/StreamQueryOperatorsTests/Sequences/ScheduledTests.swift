import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct ScheduledTests {
  @Test func operatorsBeforeItUseItsClockAndExecutor() {
    let simulation = Simulation(seed: 1)
    let elements = Mutex<[Int]>([])
    // The task itself knows nothing of the simulation's schedule but runs on its executor.
    let task = Task(executorPreference: simulation.executor) {
      let ticks = IntervalSequence(every: .seconds(1))
      for await tick in merge(ticks, ticks).scheduled(by: simulation.scheduling).prefix(4) {
        elements.withLock { $0.append(tick) }
      }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(elements.withLock { $0 }, [1, 1])
    simulation.advance(by: .seconds(1))
    expectEqual(elements.withLock { $0 }, [1, 1, 2, 2])
    task.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func passesEverythingOn() {
    expectDiagram("a-b^") { $0.failing("a-b^").scheduled(by: $0.simulation.scheduling) }
    expectDiagram("a-b|") { $0.input("a-b|").scheduled(by: $0.simulation.scheduling) }
    expectDiagram("a-;") { $0.input("a").scheduled(by: $0.simulation.scheduling) }
  }

  @Test func aSequenceThatIsNotSendableCanBeScheduledToo() async {
    let base = NotSendable()
    var clocks: [Bool] = []
    let scheduling = Scheduling(clock: SuspendingClock())
    for await isSuspending in base.scheduled(by: scheduling).prefix(1) {
      clocks.append(isSuspending)
    }
    expectEqual(clocks, [true])
  }
}

private struct NotSendable: AsyncSequence {
  final class Token {}
  let token = Token()

  struct Iterator: AsyncIteratorProtocol {
    let token: Token

    mutating func next(isolation actor: isolated (any Actor)?) async -> Bool? {
      Scheduling.current.clock is SuspendingClock
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(token: token) }
}
