import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

/// The shared cache under an executor that runs jobs inside `enqueue`.
///
/// A child of a task group that a cancellation handler resumes there aborts the process.
struct SharedInlineExecutorTests {
  @Test("a reader of the log that is cancelled is through", arguments: [0, 1])
  func reader(after seconds: Int) {
    let (executor, simulation) = (InlineExecutor(), Simulation())
    let client = QueryClient(
      configuration: .init(
        connectivity: .alwaysOnline,
        activity: .alwaysActive,
        clock: simulation.clock,
        executor: executor
      )
    )
    let store = MemorySharedStore(simulation.scheduling)
    let cache = SharedCache(store, forNew: client, SharedCacheConfiguration(namespace: "n"))
    let isThrough = Dial(false)
    let task = Task(executorPreference: executor) {
      await cache.run()
      isThrough.value = true
    }
    // It pauses after it has read an empty log, and waits in the store then.
    simulation.advance(by: .seconds(seconds))
    #expect(!isThrough.value, "it waits")
    task.cancel()
    #expect(isThrough.value)
    client.shutDown()
  }
}
