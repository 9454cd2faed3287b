import Synchronization

/// A task that is made before its work, and waits for it.
///
/// A task has the task-locals and the priority of the code that makes it; nothing else can pass
/// them on. So if the work of a caller is started by other code (code that performs actions, the
/// timer or the network), the caller makes the task, and the other code gives it the work.
///
/// The owner of a prepared task decides how long the task waits: when the last reference is released
/// without work, the task ends. Meanwhile the task retains nothing but its ``Slot``, so it keeps no
/// client alive.
final class PreparedTask: Sendable {
  typealias Work = @Sendable () async -> Void

  let slot = Slot()

  deinit {
    slot.close()
  }

  /// Makes the task in the context of the present code, without the library's own task-locals.
  func startTask(on executor: (any TaskExecutor)?) {
    guard !slot.isClosed else { return }
    let task = Task<Void, any Error>(on: executor) { [slot] in await slot.run() }
    slot.attach(task, on: executor)
  }

  /// The object through which a task gets its work, whichever of the two comes first.
  final class Slot: Sendable {
    private struct State {
      var task: Task<Void, any Error>?
      var isCancelled = false
      /// The priority to which the task is raised when it is attached, because a more urgent caller waits
      /// for it.
      var priority: WorkPriority?
    }

    private let work = OneShot<Work>()
    private let state = Mutex(State())

    /// Whether no task is needed any more.
    var isClosed: Bool { work.isOver }

    /// Gives the task its work, once.
    func give(_ work: @escaping Work) { self.work.give(work) }

    /// States that there will be no work; does nothing if work was given.
    func close() { work.close() }

    /// Waits for the work and does it, if there is any.
    ///
    /// Cancelling the task does not end the wait.
    func run() async {
      if let work = await work.wait() { await work() }
    }

    /// Takes the handle of the task, and applies earlier cancellations and priorities to it.
    func attach(_ task: Task<Void, any Error>, on executor: (any TaskExecutor)?) {
      let (isCancelled, priority) = state.withLock { state in
        state.task = task
        return (state.isCancelled, state.priority)
      }
      if isCancelled { task.cancel() }
      if let priority { Escalation.lend(priority, to: task, on: executor) }
    }

    func lend(_ priority: WorkPriority, on executor: (any TaskExecutor)?) {
      let task = state.withLock { state in
        state.priority = priority
        return state.task
      }
      if let task { Escalation.lend(priority, to: task, on: executor) }
    }

    func cancel() {
      let task = state.withLock { state in
        state.isCancelled = true
        return state.task
      }
      task?.cancel()
    }
  }
}
