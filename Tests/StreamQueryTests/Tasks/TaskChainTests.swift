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

  @Test func aTaskIsCancelledAlthoughItsHandleComesLater() {
    expect(chain.needsTask(on: nil) { work })
    let late = task()
    chain.cancelPresent()
    chain.attach(late, on: nil)
    expect(late.isCancelled)
    late.cancel()
    simulation.settle()
  }

  @Test func aLateHandleDoesNotTakeThePlaceOfTheNextTask() {
    expect(chain.needsTask(on: nil) { work })
    let (late, next) = (task(), task())
    let prepared = chain.prepareTask()
    prepared?.slot.attach(next, on: nil)
    expect(!chain.needsTask(on: nil) { work })
    chain.attach(late, on: nil)
    chain.cancelPresent()
    expect(next.isCancelled && !late.isCancelled)
    for task in [late, next] { task.cancel() }
    simulation.settle()
  }

  @Test func aTaskThatWasCancelledBeforeTheNextOneCameIsCancelledAlone() {
    expect(chain.needsTask(on: nil) { work })
    let (late, next) = (task(), task())
    let prepared = chain.prepareTask()
    prepared?.slot.attach(next, on: nil)
    // As a timeout does, before the next attempt begins.
    chain.cancelPresent()
    expect(!chain.needsTask(on: nil) { work })
    chain.attach(late, on: nil)
    expect(late.isCancelled && !next.isCancelled)
    chain.cancel()
    expect(next.isCancelled)
    for task in [late, next] { task.cancel() }
    simulation.settle()
  }
}
