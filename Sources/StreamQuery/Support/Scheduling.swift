/// The clock and the executor for waits and tasks of operators, passed down by task-locals.
///
/// A client, and a `Simulation` in tests, sets this for the tasks that it runs. So an operator such
/// as `timeout` waits on the same clock as the queries it is applied to. Outside both, operators use the
/// continuous clock and the global executor.
///
/// ```swift
/// try await Scheduling.$current.withValue(Scheduling(clock: simulation.clock)) {
///   for try await price in prices.timeout(after: .seconds(5)) { show(price) }
/// }
/// ```
public struct Scheduling: Sendable {
  /// The clock for the waits of operators.
  public var clock: any Clock<Duration>

  /// The executor that tasks of operators prefer; `nil` is the global one.
  public var executor: (any TaskExecutor)?

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - clock: The clock for the waits of operators.
  ///   - executor: The executor that tasks prefer; `nil` is the global one.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    self.clock = clock
    self.executor = executor
  }

  /// The schedule for operators that were given neither clock nor executor.
  @TaskLocal public static var current = Scheduling()
}

extension Task where Failure == Never {
  /// Starts a task on an executor; on the global one if there is none.
  ///
  /// Without an executor, the task gets no executor preference at all. With one, even for no executor, it
  /// would ask for its executor under a lock at each switch, and keep a record of the preference: together
  /// a sixteenth of the instructions of a fetch.
  ///
  /// - Parameters:
  ///   - executor: The executor; `nil` is the global one.
  ///   - operation: What the task does.
  @inline(__always)
  @discardableResult
  init(
    on executor: (any TaskExecutor)?,
    operation: sending @escaping @isolated(any) () async -> Success
  ) {
    if let executor {
      self.init(executorPreference: executor, operation: operation)
    } else {
      // The task has no executor preference, because none was given.
      self.init(operation: operation)
    }
  }

  /// Starts a detached task on an executor; on the global one if there is none.
  ///
  /// - Parameters:
  ///   - executor: The executor; `nil` is the global one.
  ///   - priority: The priority of the task.
  ///   - operation: What the task does.
  /// - Returns: The task.
  @inline(__always)
  @discardableResult
  static func detached(
    on executor: (any TaskExecutor)?,
    priority: TaskPriority? = nil,
    operation: sending @escaping @isolated(any) () async -> Success
  ) -> Task {
    if let executor {
      detached(executorPreference: executor, priority: priority, operation: operation)
    } else {
      // The task has no executor preference, because none was given.
      detached(priority: priority, operation: operation)
    }
  }
}

extension Task where Failure == any Error {
  /// Starts a task that may throw, on an executor; on the global one if there is none.
  ///
  /// A task that may not throw keeps one closure more, which is an allocation. So the tasks of fetches and
  /// runs, which do not throw, are of this kind, too.
  ///
  /// - Parameters:
  ///   - executor: The executor; `nil` is the global one.
  ///   - operation: What the task does.
  @inline(__always)
  @discardableResult
  init(
    on executor: (any TaskExecutor)?,
    operation: sending @escaping @isolated(any) () async throws -> Success
  ) {
    if let executor {
      self.init(executorPreference: executor, operation: operation)
    } else {
      // The task has no executor preference, because none was given.
      self.init(operation: operation)
    }
  }
}

/// The urgency of work: a task's priority, in one byte.
///
/// The compiler does not assume the size of the system's `TaskPriority`: a type that contains one, such as a
/// transaction, would be laid out at run time, and copied by calls.
struct WorkPriority: Comparable, Sendable {
  private let rawValue: UInt8

  init(_ priority: TaskPriority) {
    rawValue = priority.rawValue
  }

  /// The priority of the current code, to which callers that wait for the code may have raised it.
  static var current: WorkPriority { WorkPriority(Task.currentPriority) }

  /// The priority of tasks that the current code creates: a raised priority is not passed on to them.
  static var ofNewTasks: WorkPriority { WorkPriority(Task.basePriority ?? Task.currentPriority) }

  /// Whether the priority is below the default one.
  ///
  /// A thread without a task may have no priority; that does not count as low.
  var isLow: Bool { rawValue > 0 && rawValue < TaskPriority.medium.rawValue }

  var taskPriority: TaskPriority { TaskPriority(rawValue: rawValue) }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
