/// The context that code inherits from the code that runs or starts it.
enum TaskLocals {
  /// Runs code that starts a task, without the library's own task-locals.
  ///
  /// Any code may start the work of an entry or a run, even code inside an update, a layer, an
  /// option, a callback or a fetch, and the work is not part of that code. Task-locals that users
  /// have set stay.
  static func without<Result>(_ body: () -> Result) -> Result {
    guard
      UpdateChain.current != nil || MutationJob.current != nil || ReevaluationDepth.current != 0
        || TaskChain.inherited != nil || LayeredBox.isAtWork
    else {
      return body()
    }
    return UpdateChain.$current.withValue(nil) {
      MutationJob.$current.withValue(nil) {
        ReevaluationDepth.$current.withValue(0) {
          TaskChain.$inherited.withValue(nil) {
            LayeredBox.$isAtWork.withValue(false) { body() }
          }
        }
      }
    }
  }

  /// Runs code without the task-locals of the present caller, and with the default priority.
  ///
  /// It is for work without a caller, on a thread that performs actions. Only code in another task has other
  /// task-locals, so this makes a task and runs it at once on this thread. The code has returned when this
  /// function returns.
  static func none(_ body: @escaping @Sendable () -> Void) {
    // The guards against endless updates and layers are task-locals, too, and have to stay.
    let (chain, isAtWork) = (UpdateChain.current, LayeredBox.isAtWork)
    _ = Task.detached(executorPreference: AtOnce.shared) {
      guard chain != nil || isAtWork else { return body() }
      UpdateChain.$current.withValue(chain) {
        LayeredBox.$isAtWork.withValue(isAtWork) { body() }
      }
    }
  }
}

/// Runs each job at once, on the thread that enqueues it.
private final class AtOnce: TaskExecutor {
  static let shared = AtOnce()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
