import Synchronization

/// The actions that end work with the client which no transaction of its cache ends: trigger
/// streams, and lists without observers.
final class ShutdownHandlers: Sendable {
  private struct State {
    var actions: [Int: @Sendable () -> Void] = [:]
    var lastID = 0
    var isOver = false
  }

  private let state = Mutex(State())

  /// Stores an action that ends some work.
  ///
  /// - Parameter action: Ends the work; called once, outside any lock, unless it is removed before.
  /// - Returns: An identifier for ``remove(_:)``; `nil` if the client has already ended, and
  ///   nothing is stored.
  func add(_ action: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.lastID += 1
      state.actions[state.lastID] = action
      return state.lastID
    }
  }

  /// Removes an action; a second time is a no-op.
  func remove(_ id: Int) {
    // Returned, so that its captures are released outside the lock.
    _ = state.withLock { $0.actions.removeValue(forKey: id) }
  }

  /// Performs all actions in the order in which they were added, and stores none from now on.
  func finish() {
    let actions = state.withLock { state in
      state.isOver = true
      defer { state.actions = [:] }
      return state.actions
    }
    guard !actions.isEmpty else { return }
    for (_, action) in actions.sorted(by: { $0.key < $1.key }) { action() }
  }
}
