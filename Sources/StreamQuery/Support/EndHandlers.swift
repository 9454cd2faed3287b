import Synchronization

/// Actions that are performed once, when something ends, in the order in which they were added.
final class EndHandlers<Action: Sendable>: Sendable {
  private struct State {
    var actions: [Int: Action] = [:]
    var lastNumber = 0
    var isOver = false
  }

  private let state = Mutex(State())

  /// Stores an action.
  ///
  /// - Parameter action: Performed outside any lock, unless it is removed before.
  /// - Returns: A number for ``remove(_:)``; `nil` after ``close()``, and nothing is stored.
  func add(_ action: Action) -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.lastNumber += 1
      state.actions[state.lastNumber] = action
      return state.lastNumber
    }
  }

  /// Removes an action; a second call does nothing.
  func remove(_ number: Int) {
    // The action is returned, so that it is released outside the lock.
    _ = state.withLock { $0.actions.removeValue(forKey: number) }
  }

  /// Stores nothing from now on.
  func close() {
    state.withLock { $0.isOver = true }
  }

  /// Takes all actions, in their order.
  func takeAll() -> [Action] {
    let actions = state.withLock { state in
      defer { state.actions = [:] }
      return state.actions
    }
    return actions.sorted { $0.key < $1.key }.map(\.value)
  }
}

/// The handlers that end trigger streams and groups of observers when the client is shut down; no
/// transaction of the cache does that.
typealias ShutdownHandlers = EndHandlers<@Sendable () -> Void>

extension EndHandlers<@Sendable () -> Void> {
  /// Performs all actions, in their order, and stores nothing from now on.
  func finish() {
    close()
    for action in takeAll() { action() }
  }
}
