internal import StreamQuery

/// Decides when an object goes over to another key that is debounced.
///
/// | asked for | no key waits | a key waits |
/// |---|---|---|
/// | the observed key | go over | go over; nothing waits |
/// | the key that waits | | go on waiting |
/// | another key | wait | wait anew |
struct KeyDebounceMachine {
  /// The action that follows.
  enum Step: Equatable {
    /// Observe at once what is asked for.
    case goOver
    /// Observe it when the interval has passed from now on.
    case wait
    /// The same, with the interval that has begun.
    case goOnWaiting
  }

  /// The key that waits.
  private(set) var waiting: AnyQueryKey?

  /// A key came.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - observed: The key that is observed.
  /// - Returns: What to do.
  mutating func came(_ key: AnyQueryKey, observing observed: AnyQueryKey) -> Step {
    guard key != observed else {
      waiting = nil
      return .goOver
    }
    guard key != waiting else { return .goOnWaiting }
    waiting = key
    return .wait
  }

  /// The interval has passed, or nothing is to wait any more.
  mutating func ended() { waiting = nil }
}
