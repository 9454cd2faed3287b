/// Runs jobs at once on the thread that enqueues them: for asynchronous calls that do not wait.
final class InlineExecutor: TaskExecutor {
  private static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }

  static func run(_ body: @escaping @Sendable () async -> Void) {
    _ = Task(executorPreference: shared) { await body() }
  }
}
