import Synchronization

/// The long-lived tasks of a client, cancelled together.
final class TaskBag: Sendable {
  private struct State {
    var tasks: [Task<Void, Never>] = []
    var isCancelled = false
  }

  private let state = Mutex(State())

  func append(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.tasks.append(task) }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let tasks = state.withLock { state in
      state.isCancelled = true
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}

/// Tasks that run beside each other, for a caller that may be cancelled while it waits for them.
///
/// Work that a cancellation handler resumes must not run in a task group, because an executor may run jobs
/// inside `enqueue`. A child of a group would then end inside its handler, while the runtime still goes
/// through the children to cancel them, and the process would be aborted. Here each task is cancelled by
/// itself.
package final class ParallelTasks<Value: Sendable>: Sendable {
  private struct State {
    var tasks: [Task<Value, Never>] = []
    var isCancelled = false
  }

  private let executor: (any TaskExecutor)?
  private let state = Mutex(State())

  /// Creates an empty collection of tasks.
  ///
  /// - Parameter executor: The executor of the tasks.
  package init(on executor: (any TaskExecutor)?) {
    self.executor = executor
  }

  /// Starts a task; if the other tasks were cancelled, this one is cancelled at once.
  ///
  /// - Parameter operation: The work of the task.
  package func addTask(_ operation: @escaping @Sendable () async -> Value) {
    let task = Task(on: executor) { await operation() }
    let isCancelled = state.withLock { state in
      state.tasks.append(task)
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels all tasks, and later ones as they are added.
  func cancel() {
    let tasks = state.withLock { state in
      state.isCancelled = true
      return state.tasks
    }
    // After the last cancellation this object may be gone: the waiting caller resumes and releases it.
    for task in tasks { task.cancel() }
  }

  /// Waits until all tasks have ended, also those added meanwhile; a cancellation of the caller cancels the
  /// tasks.
  ///
  /// - Returns: The results of the tasks, in the order in which the tasks were added.
  package func values() async -> [Value] {
    await withTaskCancellationHandler {
      var values: [Value] = []
      while let task = state.withLock({ state in
        values.count < state.tasks.count ? state.tasks[values.count] : nil
      }) {
        values.append(await task.value)
      }
      return values
    } onCancel: {
      cancel()
    }
  }
}
