/// An observer's wait for news.
enum SuspendedObserver: Sendable {
  /// It waits for one entry.
  case alone(SuspendedTask<Void>)
  /// It waits for any of several entries, and is suspended with each.
  case jointly(SharedOneShot<Void>)
  /// Nobody waits: an ``ObservationGroup`` notes that its member has news.
  case member(GroupPlace)

  /// Wakes the observer.
  ///
  /// Never called under a lock.
  func wake() {
    switch self {
    case .alone(let task): task.resume()
    case .jointly(let wait): wait.give(())
    case .member: break
    }
  }

  /// Whether the observer needs a wake-up that nobody has undertaken yet: one wake-up is enough for
  /// one wait.
  ///
  /// - Returns: `true` once.
  @inline(__always)
  func claim() -> Bool {
    if case .jointly(let wait) = self { wait.claim() } else { true }
  }

  func isMember(at place: GroupPlace) -> Bool {
    if case .member(place) = self { true } else { false }
  }

  /// Whether news of another entry has already ended the wait.
  var isSpent: Bool {
    if case .jointly(let wait) = self { wait.isSettled } else { false }
  }
}
