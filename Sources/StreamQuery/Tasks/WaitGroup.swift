import Synchronization

/// A caller that waits for the fetches of several entries.
final class WaitGroup: Sendable {
  private struct State {
    var remaining: Int
    /// The entries for whose fetches the caller waits.
    var entries: [EntryID] = []
    /// The registered waits of the fetch or run in which the caller waits.
    var waits: [WorkWait] = []
    var failure: (any Error)?
  }

  private let failsFast: Bool
  private let state: Mutex<State>
  private let answer = OneShot<(any Error)?>()

  /// Creates a wait group with one missing result, which ``open()`` gives.
  init(failsFast: Bool) {
    self.failsFast = failsFast
    state = Mutex(State(remaining: 1))
  }

  func addMember(_ entry: EntryID, _ wait: WorkWait?) {
    state.withLock { state in
      state.remaining += 1
      state.entries.append(entry)
      if let wait { state.waits.append(wait) }
    }
  }

  /// Adds another result to wait for, which one call of ``resolve(_:)`` gives.
  func addOther() {
    state.withLock { $0.remaining += 1 }
  }

  /// Whether the wait has ended.
  var isOver: Bool { answer.isSettled }

  /// The entries for whose fetches the caller waits.
  var entries: [EntryID] { state.withLock { $0.entries } }

  func resolve(_ outcome: WaitOutcome) {
    let resumption = resolveIfDone { state in
      state.remaining -= 1
      switch outcome {
      case .failure(let error): state.failure = state.failure ?? error
      case .cancelled: state.failure = state.failure ?? CancellationError()
      case .value, .settled: break
      }
      return state.remaining <= 0 || (failsFast && state.failure != nil)
    }
    resumption?.resume()
  }

  /// States that all fetches are registered: from now on, the last fetch to settle ends the wait.
  func open() {
    resolve(.settled)
  }

  /// Waits until all fetches are settled or, if the group fails fast, until one has failed.
  ///
  /// A cancelled caller leaves at once.
  ///
  /// - Parameters:
  ///   - subject: The subject of the wait, if waits are reported.
  ///   - onCancel: Removes the waiters.
  /// - Returns: The first failure.
  func wait(
    _ subject: WaitSubject? = nil,
    onCancel: @escaping @Sendable () -> Void
  ) async -> (any Error)? {
    let wait = subject.map { CallerWait($0) { self.callerCancelled(onCancel) } }
    defer { withExtendedLifetime(wait) {} }
    return await withTaskCancellationHandler {
      await answer.wait { wait?.began() } ?? nil
    } onCancel: {
      callerCancelled(onCancel)
    }
  }

  /// Ends the wait, because the caller was cancelled.
  private func callerCancelled(_ onCancel: @Sendable () -> Void) {
    let resumption = resolveIfDone { _ in true }
    onCancel()
    // The caller is resumed at the very end, because it may continue inside of this call, as ``Waiter``
    // explains.
    resumption?.resume()
  }

  /// Ends the wait if no result is missing; `nil` if it does not end now.
  private func resolveIfDone(
    _ isDone: (inout State) -> Bool
  ) -> OneShot<(any Error)?>.Resumption? {
    let (resumption, waits) = state.withLock { state in
      guard isDone(&state), let resumption = answer.resolve(.some(state.failure)) else {
        return (OneShot<(any Error)?>.Resumption?.none, [WorkWait]())
      }
      defer { state.waits = [] }
      return (resumption, state.waits)
    }
    // If the wait fails fast, it no longer waits for the other fetches.
    for wait in waits { wait.end() }
    return resumption
  }
}
