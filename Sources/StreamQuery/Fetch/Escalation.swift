/// Makes tasks more urgent that somebody urgent waits for.
enum Escalation {
  /// Whether the system has a call for it.
  static var isNative: Bool {
    if #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *) { true } else { false }
  }

  /// Has a task run with a priority at least.
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

  /// The same where there is no call for it: who waits for a task's value lends it its priority, on
  /// every system.
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
