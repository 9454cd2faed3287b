import Synchronization

/// A task that was made ahead of its work, and waits for it.
///
/// A task has the task-locals and the priority of the code that makes it, and there is no other way to
/// hand them on. So where a caller's work is started by somebody else, by whoever performs errands, by
/// the timer or by the network, the caller makes the task, and the other one gives it the work.
///
/// Whoever has a standby decides how long the task waits: when the last reference goes without work,
/// the task ends. It holds nothing meanwhile but its ``Seat``, so it keeps no client alive.
final class Standby: Sendable {
  typealias Work = @Sendable () async -> Void

  let seat = Seat()

  deinit {
    seat.close()
  }

  /// Makes the task, in the context of the present code, which has nothing of the library's own in it.
  func begin(on executor: (any TaskExecutor)?) {
    guard !seat.isClosed else { return }
    let task = Task(executorPreference: executor) { [seat] in await seat.run() }
    seat.attach(task, on: executor)
  }

  /// Where task and work meet, whichever comes first.
  final class Seat: Sendable {
    private struct State {
      var task: Task<Void, Never>?
      var isCancelled = false
      /// What was lent before the task was made.
      var priority: WorkPriority?
    }

    private let work = OneShot<Work>()
    private let state = Mutex(State())

    /// Whether nobody has to come any more.
    var isClosed: Bool { work.isOver }

    /// Gives the task its work, once.
    func give(_ work: @escaping Work) { self.work.give(work) }

    /// There will be no work, unless it was given already.
    func close() { work.close() }

    /// Waits for the work and does it, if there is any.
    ///
    /// Cancelling the task does not end the wait.
    func run() async {
      if let work = await work.take() { await work() }
    }

    /// Takes the handle of the task, and makes up for what it missed.
    func attach(_ task: Task<Void, Never>, on executor: (any TaskExecutor)?) {
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
