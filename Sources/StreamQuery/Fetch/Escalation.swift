/// Raises the priority of tasks that more urgent callers wait for.
enum Escalation {
  /// Whether the system has a call for this.
  static var isNative: Bool {
    if #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *) { true } else { false }
  }

  /// Raises a task at least to a priority.
  static func lend(
    _ priority: WorkPriority,
    to task: Task<Void, Never>,
    on executor: (any TaskExecutor)?
  ) {
    if #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *) {
      task.escalatePriority(to: priority.taskPriority)
    } else {
      lendByWaiting(priority, to: task, on: executor)
    }
  }

  /// The same for systems without such a call: on every system, a task that awaits another task's
  /// value lends it its priority.
  static func lendByWaiting(
    _ priority: WorkPriority,
    to task: Task<Void, Never>,
    on executor: (any TaskExecutor)?
  ) {
    _ = Task.detached(executorPreference: executor, priority: priority.taskPriority) {
      await task.value
    }
  }
}
