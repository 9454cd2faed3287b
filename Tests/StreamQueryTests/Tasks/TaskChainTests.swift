import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Chains whose first task was made by a thread that is slow to hand over the task's handle.
struct TaskChainTests {
  private let simulation = Simulation(seed: 29)
  private let chain = TaskChain(
    of: .fetch(cache: .max - 9, entry: EntryID(index: 1, generation: 1))
  )
  private let work: PreparedTask.Work = {}

  private func task() -> Task<Void, any Error> {
    let clock = simulation.clock
    return simulation.task { try await clock.sleep(for: .seconds(60)) }
  }

  @Test func aTaskIsCancelledAlthoughItsHandleComesLater() throws {
    let number = try #require(chain.needsTask(on: nil) { work })
    let late = task()
    chain.cancelPresent()
    chain.attach(late, number, on: nil)
    expect(late.isCancelled)
    late.cancel()
    simulation.settle()
  }

  @Test func aLateHandleDoesNotTakeThePlaceOfTheNextTask() throws {
    let number = try #require(chain.needsTask(on: nil) { work })
    let (late, next) = (task(), task())
    let prepared = chain.prepareTask()
    prepared?.slot.attach(next, on: nil)
    expectNil(chain.needsTask(on: nil) { work })
    chain.attach(late, number, on: nil)
    chain.cancelPresent()
    expect(next.isCancelled && !late.isCancelled)
    for task in [late, next] { task.cancel() }
    simulation.settle()
  }

  @Test func aTaskThatWasCancelledBeforeTheNextOneCameIsCancelledAlone() throws {
    let number = try #require(chain.needsTask(on: nil) { work })
    let (late, next) = (task(), task())
    let prepared = chain.prepareTask()
    prepared?.slot.attach(next, on: nil)
    // As a timeout does, before the next attempt begins.
    chain.cancelPresent()
    expectNil(chain.needsTask(on: nil) { work })
    chain.attach(late, number, on: nil)
    expect(late.isCancelled && !next.isCancelled)
    chain.cancel()
    expect(next.isCancelled)
    for task in [late, next] { task.cancel() }
    simulation.settle()
  }
}
