import Synchronization

/// Whether a client was erased, and who has to forget what it has shown.
package final class ClientErasure: Sendable {
  private struct State {
    var actions: [Int: @Sendable () async -> Void] = [:]
    var lastNumber = 0
    var hasBegun = false
  }

  private let state = Mutex(State())
  private let isBegun = Atomic(false)

  /// Whether the client was erased.
  package var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

  func begin() {
    state.withLock { $0.hasBegun = true }
    isBegun.store(true, ordering: .releasing)
  }

  /// Stores what is to be done.
  ///
  /// - Returns: Its number; `nil` if the client was erased before, and nothing is stored.
  func add(_ action: @escaping @Sendable () async -> Void) -> Int? {
    state.withLock { state in
      guard !state.hasBegun else { return nil }
      state.lastNumber += 1
      state.actions[state.lastNumber] = action
      return state.lastNumber
    }
  }

  func remove(_ number: Int) {
    // Returned, so that what it holds is released outside the lock.
    _ = state.withLock { $0.actions.removeValue(forKey: number) }
  }

  /// Does what was stored, in that order.
  func finish() async {
    for (_, action) in takeActions().sorted(by: { $0.key < $1.key }) { await action() }
  }

  /// The client is gone: nothing will have to be done.
  func cancel() {
    let actions = takeActions()
    withExtendedLifetime(actions) {}
  }

  private func takeActions() -> [Int: @Sendable () async -> Void] {
    state.withLock { state in
      defer { state.actions = [:] }
      return state.actions
    }
  }
}
