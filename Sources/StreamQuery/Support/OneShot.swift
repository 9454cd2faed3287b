import Synchronization

/// One value for one waiting task, whichever of the two comes first.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
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

  /// Gives the value; only the first one counts.
  func give(_ value: Value) { answer(value) }

  /// States that there will be no value, unless it was already given.
  func close() { answer(nil) }

  private func answer(_ value: Value?) {
    let waiting = state.withLock { state -> UnsafeContinuation<Value?, Never>? in
      switch state {
      case .empty: state = value.map { .given($0) } ?? .over
      case .awaited(let waiting):
        state = .over
        return waiting
      case .given, .over: break
      }
      return nil
    }
    waiting?.resume(returning: value)
  }

  /// Waits for the value.
  ///
  /// - Returns: The value; `nil` if there is none, or if another task takes it. Cancelling the task
  ///   does not end the wait: a caller that wants that gives a value on cancellation.
  func take() async -> Value? {
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
      if isThere { continuation.resume(returning: value) }
    }
  }
}
