/// How urgent work is: a task's priority, in one byte.
///
/// `TaskPriority` belongs to the system's library, and the compiler does not assume its size: any
/// type that holds one is copied and laid out at run time, and a transaction held one.
struct WorkPriority: Comparable, Sendable {
  private let rawValue: UInt8

  init(_ priority: TaskPriority) {
    rawValue = priority.rawValue
  }

  /// The priority of the current code, including a raised one.
  static var current: WorkPriority { WorkPriority(Task.currentPriority) }

  /// The priority of tasks that the current code creates: they do not inherit a priority that it
  /// was only lent.
  static var ofNewTasks: WorkPriority { WorkPriority(Task.basePriority ?? Task.currentPriority) }

  /// Whether it is below the default priority; threads without a task may have none, which does not
  /// count as low.
  var isLow: Bool { rawValue > 0 && rawValue < TaskPriority.medium.rawValue }

  var taskPriority: TaskPriority { TaskPriority(rawValue: rawValue) }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
