internal import StreamQuery
internal import StreamQueryShared
internal import Synchronization

extension MemorySharedStore {
  /// Performs one step of the model; while the store is paused, waits before that.
  func perform<Result: Sendable>(
    _ step: (inout SharedStoreModel, Duration) throws(SharedStoreError) -> Result
  ) async throws(SharedStoreError) -> Result {
    while true {
      if Task.isCancelled { throw .cancelled }
      if let done = try attempt(step) { return done }
      await suspend(newWaiter()) { $0.condition == .paused }
    }
  }

  /// Performs one step; `nil` if the store is paused.
  private func attempt<Result: Sendable>(
    _ step: (inout SharedStoreModel, Duration) throws(SharedStoreError) -> Result
  ) throws(SharedStoreError) -> Result? {
    // The clock is read before the lock is taken, because the clock has a lock of its own, or is user
    // code.
    let now = elapsed()
    var woken: [Waiters.Waiter] = []
    defer { for waiter in woken { waiter.resume() } }
    return try state.withLock { state throws(SharedStoreError) -> Result? in
      switch state.condition {
      case .paused: return nil
      case .crashed: throw .unavailable("The store has crashed.")
      case .runs: break
      }
      state.calls += 1
      let before = state.model.position
      let result = try step(&state.model, now)
      if state.model.position != before { woken = state.waiters.removeAll() }
      return result
    }
  }

  /// Changes the state, and makes all waiting calls check the state again.
  func change(_ body: (inout State) -> Void) {
    let woken = state.withLock { state in
      body(&state)
      return state.waiters.removeAll()
    }
    for waiter in woken { waiter.resume() }
  }

  // MARK: Waiting

  /// Waits until the log has a message after the position, the time is over, or the task is cancelled.
  func waitForChange(since position: SharedPosition, atMost wait: Duration) async {
    let id = newWaiter()
    // The timer is a child task, so that it ends with the wait. A child task runs where its parent runs.
    async let _: Void = wake(id, after: wait)
    await suspend(id) { $0.condition != .crashed && $0.model.position == position }
    // The end of the scope cancels the timer and waits for its end.
  }

  private func wake(_ id: UInt64, after wait: Duration) async {
    do { try await clock.sleep(for: wait) } catch { return }
    wake(id)
  }

  private func wake(_ id: UInt64) {
    state.withLock { $0.waiters.remove(id) }?.resume()
  }

  private func newWaiter() -> UInt64 { state.withLock { $0.waiters.reserve() } }

  /// Suspends until the waiter is woken or the task is cancelled, but not if `isWanted` is already `false`.
  private func suspend(_ id: UInt64, while isWanted: (State) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isParked = state.withLock { state in
          guard isWanted(state) else {
            _ = state.waiters.remove(id)
            return false
          }
          return state.waiters.park(continuation, as: id)
        }
        if !isParked { continuation.resume() }
      }
    } onCancel: {
      wake(id)
    }
  }
}
