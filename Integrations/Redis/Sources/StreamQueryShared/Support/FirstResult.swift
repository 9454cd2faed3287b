internal import Synchronization

/// Gives one waiting task the first of several values: an answer, or the value for a deadline or a
/// cancellation.
final class FirstResult<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
    case over
  }

  private let state = Mutex(State.open)

  /// Gives a value to the waiting task; only the first call counts.
  ///
  /// - Returns: Whether this is the first call.
  @discardableResult
  func give(_ value: Value) -> Bool {
    let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
      switch state {
      case .open:
        state = .given(value)
        return (true, nil)
      case .awaited(let continuation):
        state = .over
        return (true, continuation)
      case .given, .over: return (false, nil)
      }
    }
    waiting?.resume(returning: value)
    return isFirst
  }

  /// Waits for the value, whether or not the task is cancelled.
  ///
  /// - Returns: The first value.
  func value() async -> Value {
    await withCheckedContinuation { wait($0) }
  }

  /// Waits for the value.
  ///
  /// - Parameter cancelled: The value if the waiting task is cancelled.
  /// - Returns: The first value.
  func value(ifCancelled cancelled: Value) async -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0) }
    } onCancel: {
      give(cancelled)
    }
  }

  private func wait(_ continuation: CheckedContinuation<Value, Never>) {
    let value = state.withLock { state -> Value? in
      guard case .given(let value) = state else {
        state = .awaited(continuation)
        return nil
      }
      state = .over
      return value
    }
    if let value { continuation.resume(returning: value) }
  }
}
