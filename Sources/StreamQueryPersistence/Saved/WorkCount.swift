internal import StreamQuery

/// The number of tasks that read or write a store, or are about to, and the callers that wait until
/// there is none.
struct WorkCount: Sendable {
  private var count = 0
  private var waits: [SharedOneShot<Void>] = []

  /// A task is about to be made.
  mutating func began() { count += 1 }

  /// A task is over.
  ///
  /// - Returns: The waits that end with it; end them outside of locks.
  mutating func ended() -> [SharedOneShot<Void>] {
    count -= 1
    return count == 0 ? waits.takeAll() : []
  }

  /// A caller waits until there is no task.
  ///
  /// - Returns: Whether there is one.
  mutating func awaited(by wait: SharedOneShot<Void>) -> Bool {
    guard count > 0 else { return false }
    waits.append(wait)
    return true
  }
}
