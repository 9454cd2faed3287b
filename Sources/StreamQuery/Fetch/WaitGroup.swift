import Synchronization

/// A caller that waits for the fetches of several entries.
final class WaitGroup: Sendable {
  private struct State {
    var remaining: Int
    /// The entries whose fetches are waited for.
    var entries: [EntryID] = []
    /// The waits of the work that the caller belongs to.
    var waits: [WorkWait] = []
    var failure: (any Error)?
    var isDelivered = false
    var continuation: UnsafeContinuation<(any Error)?, Never>?
  }

  private let failsFast: Bool
  private let state: Mutex<State>

  /// Creates a wait group that starts with one thing to wait for: ``open()``.
  init(failsFast: Bool) {
    self.failsFast = failsFast
    state = Mutex(State(remaining: 1))
  }

  func add(_ entry: EntryID, _ wait: WorkWait?) {
    state.withLock { state in
      state.remaining += 1
      state.entries.append(entry)
      if let wait { state.waits.append(wait) }
    }
  }

  /// Whether the wait has ended.
  var isOver: Bool { state.withLock { $0.isDelivered } }

  /// The entries whose fetches are waited for.
  var entries: [EntryID] { state.withLock { $0.entries } }

  func resolve(_ outcome: WaitOutcome) {
    let answer = take { state in
      state.remaining -= 1
      switch outcome {
      case .failure(let error): state.failure = state.failure ?? error
      case .cancelled: state.failure = state.failure ?? CancellationError()
      case .value, .settled: break
      }
      return state.remaining <= 0 || (failsFast && state.failure != nil)
    }
    answer?.give()
  }

  /// Says that all are registered: from now on, the last one to settle ends the wait.
  func open() {
    resolve(.settled)
  }

  /// Waits until all are settled, or until one failed if it fails fast.
  ///
  /// A cancelled caller leaves at once.
  ///
  /// - Parameters:
  ///   - subject: What is waited for, if waits are reported.
  ///   - onCancel: Removes the waiters.
  /// - Returns: The first failure.
  func wait(
    _ subject: WaitSubject? = nil,
    onCancel: @escaping @Sendable () -> Void
  ) async -> (any Error)? {
    let wait = subject.map { CallerWait($0) { self.leave(onCancel) } }
    defer { withExtendedLifetime(wait) {} }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let ready = state.withLock { state -> (isReady: Bool, failure: (any Error)?) in
          if state.isDelivered { return (true, state.failure) }
          state.continuation = continuation
          return (false, nil)
        }
        if ready.isReady { return continuation.resume(returning: ready.failure) }
        wait?.began()
      }
    } onCancel: {
      leave(onCancel)
    }
  }

  /// The caller was cancelled.
  private func leave(_ onCancel: @Sendable () -> Void) {
    let answer = take { _ in true }
    onCancel()
    // At the very end, as above.
    answer?.give()
  }

  /// The caller, and the answer that it gets.
  private struct Answer {
    let continuation: UnsafeContinuation<(any Error)?, Never>
    let failure: (any Error)?

    func give() {
      continuation.resume(returning: failure)
    }
  }

  /// Ends the wait if nothing else is missing; `nil` if the caller is not suspended yet.
  private func take(_ isDone: (inout State) -> Bool) -> Answer? {
    let (answer, waits) = state.withLock { state -> (Answer?, [WorkWait]) in
      guard !state.isDelivered, isDone(&state) else { return (nil, []) }
      state.isDelivered = true
      let failure = state.failure
      let answer = state.continuation.take().map { Answer(continuation: $0, failure: failure) }
      defer { state.waits = [] }
      return (answer, state.waits)
    }
    // A wait that fails fast abandons the others.
    for wait in waits { wait.end() }
    return answer
  }
}
