/// What code inherits from whoever runs or starts it.
enum Inheritance {
  /// Runs code that starts a task without the library's own task-locals.
  ///
  /// The work of an entry or a run is begun by whatever code asks for it: also by code inside an
  /// update, a layer, an option, a callback or a fetch, that it is no part of. What users have set stays.
  static func without<Result>(_ body: () -> Result) -> Result {
    guard
      UpdateChain.current != nil || MutationJob.current != nil || AskRound.current != 0
        || TaskChain.inherited != nil || LayeredBox.isAtWork
    else {
      return body()
    }
    return UpdateChain.$current.withValue(nil) {
      MutationJob.$current.withValue(nil) {
        AskRound.$current.withValue(0) {
          TaskChain.$inherited.withValue(nil) {
            LayeredBox.$isAtWork.withValue(false) { body() }
          }
        }
      }
    }
  }

  /// Runs code in nobody's context: without the task-locals of the present caller, and with the default
  /// priority.
  ///
  /// For what the client does of its own accord on the thread of whoever performs errands. It has
  /// returned when this returns. There is no way to take task-locals from code but to run it in another
  /// task, so this makes one, and runs it here and now.
  static func none(_ body: @escaping @Sendable () -> Void) {
    // What keeps an update or a layer from going on for ever holds on the way.
    let (chain, isAtWork) = (UpdateChain.current, LayeredBox.isAtWork)
    _ = Task.detached(executorPreference: AtOnce.shared) {
      guard chain != nil || isAtWork else { return body() }
      UpdateChain.$current.withValue(chain) {
        LayeredBox.$isAtWork.withValue(isAtWork) { body() }
      }
    }
  }
}

/// Runs each job at once, on the thread that brings it.
private final class AtOnce: TaskExecutor {
  static let shared = AtOnce()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
