internal import StreamQuery

/// Decides when an object with a debounce interval goes over to another key, that is, observes it.
///
/// | the key that is set | no key waits | a key waits |
/// |---|---|---|
/// | the observed key | go over | go over; nothing waits |
/// | the waiting key | | go on waiting |
/// | another key | wait | wait anew |
struct KeyDebounceMachine {
  /// The action for a key that was set.
  enum Step: Equatable {
    /// Observe the key at once.
    case goOver
    /// Observe the key after the interval, which begins now.
    case wait
    /// Observe the key after the interval, which has begun already.
    case goOnWaiting
  }

  /// The key that waits for the end of the interval.
  private(set) var waiting: AnyQueryKey?

  /// Decides what follows when a key is set.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - observed: The key that is observed.
  /// - Returns: The action.
  mutating func came(_ key: AnyQueryKey, observing observed: AnyQueryKey) -> Step {
    guard key != observed else {
      waiting = nil
      return .goOver
    }
    guard key != waiting else { return .goOnWaiting }
    waiting = key
    return .wait
  }

  /// Removes the waiting key, because the interval has passed or the wait was given up.
  mutating func ended() { waiting = nil }
}
