import Synchronization

/// Turns "exactly once" from a promise into a fact: the first call wins, a second is reported.
final class CompletionOnce<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>

  private enum State {
    case empty
    case waiting(UnsafeContinuation<Outcome, Never>)
    case completed(Outcome)
    /// The fetch was cancelled before it waited.
    case cancelledEarly
    /// The fetch was cancelled; the call that is still to come changes nothing and is no misuse.
    case cancelled
    case delivered
  }

  /// What gives up the work.
  private enum Handlers {
    case pending([@Sendable () -> Void])
    /// The fetch was cancelled: each that comes runs at once.
    case cancelled
    /// There is nothing to give up any more.
    case over
  }

  let key: String
  private let report: @Sendable (QueryMisuse) -> Void
  private let state = Mutex(State.empty)
  private let handlers = Mutex(Handlers.pending([]))

  private init(key: String, report: @escaping @Sendable (QueryMisuse) -> Void) {
    self.key = key
    self.report = report
  }

  /// Starts completion-style work and waits for its result.
  ///
  /// Cancelling the task ends the wait at once; the work itself knows nothing of tasks, and runs on unless
  /// it said how to give it up.
  static func run(
    key: String,
    report: @escaping @Sendable (QueryMisuse) -> Void,
    start: (FetchCompletion<Value>) -> Void
  ) async throws -> Value {
    let once = CompletionOnce(key: key, report: report)
    // The token belongs to the work alone: when its last copy goes, nobody is left who could call.
    start(FetchCompletion(token: CompletionToken(once: once)))
    let outcome: Outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        if let outcome = once.attach(continuation) { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      once.cancel()
    }
    return try outcome.get()
  }

  func onCancel(_ handler: @escaping @Sendable () -> Void) {
    let runsNow = handlers.withLock { handlers in
      switch handlers {
      case .pending(let others):
        handlers = .pending(others + [handler])
        return false
      case .cancelled: return true
      case .over: return false
      }
    }
    if runsNow { handler() }
  }

  /// Takes the handlers out, to be run or let go of outside the lock.
  private func endHandlers(as end: Handlers) -> [@Sendable () -> Void] {
    handlers.withLock { handlers in
      guard case .pending(let pending) = handlers else { return [] }
      handlers = end
      return pending
    }
  }

  func complete(_ outcome: Outcome) {
    _ = endHandlers(as: .over)
    let (continuation, isExtra) = state.withLock {
      state -> (UnsafeContinuation<Outcome, Never>?, Bool) in
      switch state {
      case .empty:
        state = .completed(outcome)
        return (nil, false)
      case .waiting(let continuation):
        state = .delivered
        return (continuation, false)
      case .cancelled, .cancelledEarly:
        state = .delivered
        return (nil, false)
      case .completed, .delivered:
        return (nil, true)
      }
    }
    continuation?.resume(returning: outcome)
    if isExtra { report(.completionCalledTwice(key: key)) }
  }

  /// The work dropped its last reference.
  func abandon() {
    _ = endHandlers(as: .over)
    finish(.failure(QueryError.completionNeverCalled(key: key)), isCancelled: false)
  }

  private func cancel() {
    let pending = endHandlers(as: .cancelled)
    finish(.failure(CancellationError()), isCancelled: true)
    for handler in pending { handler() }
  }

  private func finish(_ outcome: Outcome, isCancelled: Bool) {
    let waiting: UnsafeContinuation<Outcome, Never>? = state.withLock { state in
      switch state {
      case .empty:
        state = isCancelled ? .cancelledEarly : .completed(outcome)
        return nil
      case .waiting(let continuation):
        state = isCancelled ? .cancelled : .delivered
        return continuation
      case .completed, .cancelledEarly, .cancelled, .delivered:
        return nil
      }
    }
    waiting?.resume(returning: outcome)
  }

  private func attach(_ continuation: UnsafeContinuation<Outcome, Never>) -> Outcome? {
    state.withLock { state in
      switch state {
      case .completed(let outcome):
        state = .delivered
        return outcome
      case .empty:
        state = .waiting(continuation)
        return nil
      case .cancelledEarly:
        state = .cancelled
        return .failure(CancellationError())
      case .waiting, .cancelled, .delivered:
        // One fetch attaches once; an answer keeps any other from waiting for ever.
        return .failure(CancellationError())
      }
    }
  }
}

/// Held only by the completion-style work, so that its end shows that the work forgot to call.
final class CompletionToken<Value: Sendable>: Sendable {
  let once: CompletionOnce<Value>

  init(once: CompletionOnce<Value>) {
    self.once = once
  }

  deinit {
    once.abandon()
  }
}
