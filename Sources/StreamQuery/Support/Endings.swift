import Synchronization

/// What has to end with the client although no turn of its cache ends it: trigger streams, and lists
/// that observe nothing at present.
final class Endings: Sendable {
  private struct State {
    var actions: [Int: @Sendable () -> Void] = [:]
    var lastID = 0
    var isOver = false
  }

  private let state = Mutex(State())

  /// Keeps what ends somebody's work.
  ///
  /// - Parameter action: Ends it; called once, outside any lock, unless it is removed before.
  /// - Returns: A name for ``remove(_:)``; `nil` if the client is over already, and nothing is kept.
  func add(_ action: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.lastID += 1
      state.actions[state.lastID] = action
      return state.lastID
    }
  }

  /// Forgets an action; a second time is a no-op.
  func remove(_ id: Int) {
    // Returned, so that what it holds is released outside the lock.
    _ = state.withLock { $0.actions.removeValue(forKey: id) }
  }

  /// Ends everything, in the order in which it was added, and keeps nothing from here on.
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
