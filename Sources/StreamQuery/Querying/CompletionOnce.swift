import Synchronization

/// Enforces "exactly once": the first call counts, and a second one is reported.
final class CompletionOnce<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>

  /// The handlers that give up the work.
  private enum Handlers {
    case pending([@Sendable () -> Void])
    /// The fetch was cancelled: a handler that is added now runs at once.
    case cancelled
    /// There is no work left to give up.
    case over
  }

  let key: String
  private let report: @Sendable (QueryMisuse) -> Void
  private let outcome = OneShot<Outcome>()
  private let isCalled = Atomic(false)
  private let handlers = Mutex(Handlers.pending([]))

  private init(key: String, report: @escaping @Sendable (QueryMisuse) -> Void) {
    self.key = key
    self.report = report
  }

  /// Starts completion-style work and waits for its result.
  ///
  /// Cancelling the task ends the wait at once. The work itself knows nothing about tasks, and
  /// continues unless a handler gives it up.
  static func run(
    key: String,
    report: @escaping @Sendable (QueryMisuse) -> Void,
    start: (FetchCompletion<Value>) -> Void
  ) async throws -> Value {
    let once = CompletionOnce(key: key, report: report)
    // The token belongs to the work alone: when its last copy is released, nothing can call any
    // more.
    start(FetchCompletion(token: CompletionToken(once: once)))
    let outcome = await withTaskCancellationHandler {
      await once.outcome.take()
    } onCancel: {
      once.cancel()
    }
    guard let outcome else { throw CancellationError() }
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

  /// Removes the handlers, to be run or released outside the lock.
  private func endHandlers(as end: Handlers) -> [@Sendable () -> Void] {
    handlers.withLock { handlers in
      guard case .pending(let pending) = handlers else { return [] }
      handlers = end
      return pending
    }
  }

  /// The work has an outcome.
  ///
  /// After a cancellation this changes nothing, and is not a misuse.
  func complete(_ outcome: Outcome) {
    _ = endHandlers(as: .over)
    let isExtra = isCalled.exchange(true, ordering: .relaxed)
    self.outcome.give(outcome)
    if isExtra { report(.completionCalledTwice(key: key)) }
  }

  /// The work dropped its last reference.
  func abandon() {
    _ = endHandlers(as: .over)
    outcome.give(.failure(QueryError.completionNeverCalled(key: key)))
  }

  private func cancel() {
    let pending = endHandlers(as: .cancelled)
    outcome.give(.failure(CancellationError()))
    for handler in pending { handler() }
  }
}
