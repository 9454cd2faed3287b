import Synchronization

/// One value for one waiting task, whichever of the two comes first.
///
/// It is stored in its owner; where several share it, as a ``SharedOneShot``.
struct OneShot<Value: Sendable>: ~Copyable, Sendable {
  // Not private: its owners' files need to know of it to lay themselves out, and Swift 6.3 emits a
  // broken reference to a private one in debug builds.
  enum State {
    case empty
    case given(Value)
    case awaited(SuspendedTask<Value?>)
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
        return Resumption(task: nil, value: value)
      case .awaited(let waiting):
        state = .over
        return Resumption(task: waiting, value: value)
      case .given, .over:
        return nil
      }
    }
  }

  /// What remains to be done for a value that was given, outside of locks.
  struct Resumption: Sendable {
    /// `nil` if the task is not suspended yet, and will find the value.
    fileprivate let task: SuspendedTask<Value?>?
    fileprivate let value: Value?

    func resume() { task?.resume(returning: value) }
  }

  /// Waits for the value.
  ///
  /// - Parameter whenSuspended: Called when the caller has begun to wait.
  /// - Returns: The value; `nil` if there is none, or if another task takes it. Cancelling the task
  ///   does not end the wait: a caller that wants that gives a value on cancellation.
  func take(whenSuspended: () -> Void = {}) async -> Value? {
    await SuspendedTask.suspend { task in
      let found = state.withLock { state -> Value?? in
        switch state {
        case .empty:
          state = .awaited(task)
          return .none
        case .given(let value):
          state = .over
          return .some(value)
        case .awaited, .over: return .some(nil)
        }
      }
      if found == nil { whenSuspended() }
      return found
    }
  }
}
