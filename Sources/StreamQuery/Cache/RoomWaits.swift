import Synchronization

#if canImport(Dispatch)
@preconcurrency internal import Dispatch
#endif

/// Threads that wait for room in the action queue, each at its own semaphore.
///
/// A thread that is slowed down stands still, and so does the task on it: there is no other way to
/// slow down a synchronous call. So the wait is short. It is measured in real time, not the
/// client's, because it applies to threads, and in a simulation nobody waits.
final class RoomWaits: Sendable {
  #if canImport(Dispatch)
  private let semaphores = Mutex<[ThreadIdentity: DispatchSemaphore]>([:])

  /// From now on, a signal to the thread is not lost.
  func prepare(_ thread: ThreadIdentity) {
    let semaphore = DispatchSemaphore(value: 0)
    semaphores.withLock { $0[thread] = semaphore }
  }

  /// Waits for a signal, at most 10 ms for each crowd in the action queue: an action may wait for this
  /// very thread, and would otherwise wait for ever.
  func wait(_ thread: ThreadIdentity, crowds: Int) {
    guard let semaphore = semaphores.withLock({ $0[thread] }) else { return }
    _ = semaphore.wait(timeout: .now() + .milliseconds(10 * crowds))
  }

  /// The thread no longer waits.
  func forget(_ thread: ThreadIdentity) {
    semaphores.withLock { _ = $0.removeValue(forKey: thread) }
  }

  func tell(_ thread: ThreadIdentity) {
    // Missing if the thread has already stopped waiting.
    semaphores.withLock { $0[thread] }?.signal()
  }
  #else
  // Without threads nobody waits.
  func prepare(_ thread: ThreadIdentity) {}
  func wait(_ thread: ThreadIdentity, crowds: Int) {}
  func forget(_ thread: ThreadIdentity) {}
  func tell(_ thread: ThreadIdentity) {}
  #endif
}
