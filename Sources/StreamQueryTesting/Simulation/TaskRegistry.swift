internal import StreamQuery
internal import Synchronization

/// The unfinished tasks of a simulation, by name, its recordings, and the closures that its clients add.
final class TaskRegistry: Sendable {
  private struct Entry: Sendable {
    /// The name of the task; `nil` for a recording, which does not count as an unfinished task.
    let name: String?
    var cancel: (@Sendable () -> Void)?
  }

  private struct State {
    var lastID: UInt64 = 0
    /// The tasks that have not ended; while there are recordings among them, subscriptions are no leaks.
    var tasks: [UInt64: Entry] = [:]
    var probes: [@Sendable () -> Liveness] = []
    var endings: [@Sendable () -> Void] = []
    var closings: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  /// Adds a task, which `end(_:)` removes; a task without a name is a recording.
  func begin(_ name: String?) -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      state.tasks[state.lastID] = Entry(name: name)
      return state.lastID
    }
  }

  func end(_ id: UInt64) {
    // The closure retains a task, and the task's release may run code of the test, so it is released outside
    // the lock.
    _ = state.withLock { $0.tasks.removeValue(forKey: id) }
  }

  /// Stores a closure that cancels a task, unless the task has ended already.
  func attach(_ cancel: @escaping @Sendable () -> Void, to id: UInt64) {
    state.withLock { $0.tasks[id]?.cancel = cancel }
  }

  func add(_ probe: @escaping @Sendable () -> Liveness, onEnd: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.probes.append(probe)
      state.endings.append(onEnd)
    }
  }

  /// Ends the clients' waits, because the simulation is being released.
  func endAll() {
    for end in state.withLock({ $0.endings }) { end() }
  }

  /// Adds a closure that shuts a client down; `closeAll()` calls it.
  func addClosing(_ close: @escaping @Sendable () -> Void) {
    state.withLock { $0.closings.append(close) }
  }

  /// Shuts the clients down, which also ends the loops over their streams.
  func closeAll() {
    for close in state.withLock({ $0.closings }) { close() }
  }

  /// The names of unfinished tasks, in the order in which they were started.
  var unfinished: [String] {
    state.withLock { $0.tasks }.sorted { $0.key < $1.key }.compactMap(\.value.name)
  }

  var hasUnfinished: Bool {
    state.withLock { $0.tasks.values.contains { $0.name != nil } }
  }

  /// The objects that the clients report as alive, including subscriptions.
  var liveness: [Liveness] {
    state.withLock { $0.probes }.map { $0() }
  }

  /// One line for each object that the clients report as alive; the clients are asked outside the lock.
  var probeReport: [String] {
    let (probes, isRecording) = state.withLock { state in
      (state.probes, state.tasks.values.contains { $0.name == nil })
    }
    let found = probes.map { $0() }
    var report = found.flatMap(\.unfinished)
    // The owner of a subscription is not known, so while a recording is active, no subscription counts as a
    // leak.
    let subscribers = found.map(\.subscribers).reduce(0, +)
    if subscribers > 0, !isRecording { report.append("subscribers of queries: \(subscribers)") }
    return report
  }

  func cancelAll() {
    for (_, task) in state.withLock({ $0.tasks }).sorted(by: { $0.key < $1.key }) {
      task.cancel?()
    }
  }
}
