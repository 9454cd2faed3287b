import Synchronization

/// Hears of callers that wait for a client in virtual time: the executor of a simulation.
///
/// All methods are called on the task that waits, after it was suspended, and outside of locks.
package protocol WaitObserver: TaskExecutor {
  /// A caller waits for a client that runs on this executor.
  func callerWaits(_ wait: CallerWait)

  /// An observer waits for news on a stream of a client that runs on this executor.
  ///
  /// - Parameters:
  ///   - subject: What it waits for, in words.
  ///   - leave: Ends its observation, as a cancellation does.
  func observerWaits(for subject: () -> String, leave: () -> Void)

  /// A task whose `Scheduling` names this executor waits for a client that runs elsewhere.
  ///
  /// - Parameters:
  ///   - subject: What it waits for, in words.
  ///   - owner: An object that lives at least as long as the wait.
  ///   - isOnPool: Whether that client has no executor of its own.
  func waitsElsewhere(
    for subject: () -> String,
    owner: any AnyObject & Sendable,
    isOnPool: Bool
  )
}
