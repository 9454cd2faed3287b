import Synchronization

/// One value for one waiting task, whichever of the two comes first.
///
/// It is stored in its owner; where several share it, as a ``SharedOneShot``. Whatever parks a
/// continuation uses it, except where its allocation would be one for each wait of a loop:
/// ``Mailbox``, and an observer that waits for one entry.
struct OneShot<Value: Sendable>: ~Copyable, Sendable {
  // Not private: its owners' files need to know of it to lay themselves out, and Swift 6.3 emits a
  // broken reference to a private one in debug builds.
  enum State {
    case empty
    case given(Value)
    case awaited(UnsafeContinuation<Value?, Never>)
    case over
  }

  private let state = Mutex(State.empty)

  /// Whether the value was taken, or will never be.
  var isOver: Bool {
    if case .over = state.withLock({ $0 }) { true } else { false }
  }

  /// Whether the value was given, or will never be.
  var isSettled: Bool {
    state.withLock { state in
      switch state {
      case .empty, .awaited: false
      case .given, .over: true
      }
    }
  }

  /// Gives the value; only the first one counts.
  func give(_ value: Value) { settle(value)?.resume() }

  /// States that there will be no value, unless it was already given.
  func close() { settle(nil)?.resume() }

  /// Gives the value to a task that continues only when it is resumed.
  ///
  /// - Parameter value: The value; `nil` if there will be none.
  /// - Returns: What resumes the task; `nil` if this is not the first value.
  func settle(_ value: Value?) -> Resumption? {
    state.withLock { state in
      switch state {
      case .empty:
        state = value.map { .given($0) } ?? .over
        return Resumption(continuation: nil, value: value)
      case .awaited(let waiting):
        state = .over
        return Resumption(continuation: waiting, value: value)
      case .given, .over:
        return nil
      }
    }
  }

  /// What remains to be done for a value that was given, outside of locks.
  struct Resumption: Sendable {
    /// `nil` if the task is not suspended yet, and will find the value.
    fileprivate let continuation: UnsafeContinuation<Value?, Never>?
    fileprivate let value: Value?

    func resume() { continuation?.resume(returning: value) }
  }

  /// Waits for the value.
  ///
  /// - Parameter whenSuspended: Called when the caller has begun to wait.
  /// - Returns: The value; `nil` if there is none, or if another task takes it. Cancelling the task
  ///   does not end the wait: a caller that wants that gives a value on cancellation.
  func take(whenSuspended: () -> Void = {}) async -> Value? {
    await withUnsafeContinuation { continuation in
      let (isThere, value) = state.withLock { state -> (Bool, Value?) in
        switch state {
        case .empty:
          state = .awaited(continuation)
          return (false, nil)
        case .given(let value):
          state = .over
          return (true, value)
        case .awaited, .over: return (true, nil)
        }
      }
      if isThere { continuation.resume(returning: value) } else { whenSuspended() }
    }
  }
}
