/// How urgent work is: a task's priority, in one byte.
///
/// `TaskPriority` is a type of the system's library, whose size the compiler does not take for granted:
/// whatever holds one is copied and laid out at run time, and a turn held one.
struct WorkPriority: Comparable, Sendable {
  private let rawValue: UInt8

  init(_ priority: TaskPriority) {
    rawValue = priority.rawValue
  }

  /// That of the present code, with what it was lent.
  static var current: WorkPriority { WorkPriority(Task.currentPriority) }

  /// What tasks have that the present code makes: what it was only lent itself, they do not.
  static var ofNewTasks: WorkPriority { WorkPriority(Task.basePriority ?? Task.currentPriority) }

  /// Whether it is below the ordinary one; threads without a task may have none, which is no low one.
  var isLow: Bool { rawValue > 0 && rawValue < TaskPriority.medium.rawValue }

  var taskPriority: TaskPriority { TaskPriority(rawValue: rawValue) }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
