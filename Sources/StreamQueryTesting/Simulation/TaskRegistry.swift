internal import StreamQuery
internal import Synchronization

/// The unfinished tasks of a simulation, by name, its recordings, and the closures that its clients add.
final class TaskRegistry: Sendable {
  private struct State {
    var lastID: UInt64 = 0
    var names: [UInt64: String] = [:]
    var cancellations: [UInt64: @Sendable () -> Void] = [:]
    var probes: [@Sendable () -> Liveness] = []
    var endings: [@Sendable () -> Void] = []
    var closings: [@Sendable () -> Void] = []
    /// The active recordings; while there are any, subscriptions are no leaks.
    var recordings: Set<UInt64> = []
  }

  private let state = Mutex(State())

  func begin(_ name: String) -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      state.names[state.lastID] = name
      return state.lastID
    }
  }

  /// Adds a recording, which `end(_:)` removes; it does not count as an unfinished task.
  func beginRecording() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      state.recordings.insert(state.lastID)
      return state.lastID
    }
  }

  func end(_ id: UInt64) {
    let dropped = state.withLock { state in
      state.names[id] = nil
      state.recordings.remove(id)
      return state.cancellations.removeValue(forKey: id)
    }
    // The closure retains a task, and the task's release may run code of the test, so it is released outside
    // the lock.
    _ = dropped
  }

  /// Stores a closure that cancels a task, unless the task has ended already.
  func attach(_ cancel: @escaping @Sendable () -> Void, to id: UInt64) {
    state.withLock { state in
      guard state.names[id] != nil || state.recordings.contains(id) else { return }
      state.cancellations[id] = cancel
    }
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
    state.withLock { $0.names }.sorted { $0.key < $1.key }.map(\.value)
  }

  var hasUnfinished: Bool {
    state.withLock { !$0.names.isEmpty }
  }

  /// The objects that the clients report as alive, including subscriptions.
  var liveness: [Liveness] {
    state.withLock { $0.probes }.map { $0() }
  }

  /// One line for each object that the clients report as alive; the clients are asked outside the lock.
  var probeReport: [String] {
    let (probes, isRecording) = state.withLock { ($0.probes, !$0.recordings.isEmpty) }
    let found = probes.map { $0() }
    var report = found.flatMap(\.unfinished)
    // The owner of a subscription is not known, so while a recording is active, no subscription counts as a
    // leak.
    let subscribers = found.map(\.subscribers).reduce(0, +)
    if subscribers > 0, !isRecording { report.append("subscribers of queries: \(subscribers)") }
    return report
  }

  func cancelAll() {
    let cancellations = state.withLock { $0.cancellations }
    for (_, cancel) in cancellations.sorted(by: { $0.key < $1.key }) {
      cancel()
    }
  }
}
