import Synchronization

#if canImport(Dispatch)
@preconcurrency internal import Dispatch
#endif

/// Threads that wait for room in the outbox, each at a semaphore of its own.
///
/// A thread that is slowed down stands still, and so does the task on it: there is no other way to slow
/// a synchronous call. So it stands for a moment only. The time is real time, not the client's: it
/// holds for threads, and in a simulation nobody waits.
final class RoomWaits: Sendable {
  #if canImport(Dispatch)
  private let semaphores = Mutex<[ThreadIdentity: DispatchSemaphore]>([:])

  /// From now on, telling the thread is not lost.
  func prepare(_ thread: ThreadIdentity) {
    let semaphore = DispatchSemaphore(value: 0)
    semaphores.withLock { $0[thread] = semaphore }
  }

  /// Waits to be told, for 10 ms at most for each crowd that lies in the outbox: an errand may wait for
  /// this very thread, and would for ever.
  func wait(_ thread: ThreadIdentity, crowds: Int) {
    guard let semaphore = semaphores.withLock({ $0[thread] }) else { return }
    _ = semaphore.wait(timeout: .now() + .milliseconds(10 * crowds))
  }

  /// The thread waits no more.
  func forget(_ thread: ThreadIdentity) {
    semaphores.withLock { _ = $0.removeValue(forKey: thread) }
  }

  func tell(_ thread: ThreadIdentity) {
    // Gone already if it did not want to wait any longer.
    semaphores.withLock { $0[thread] }?.signal()
  }
  #else
  // Without threads there is nobody to wait for.
  func prepare(_ thread: ThreadIdentity) {}
  func wait(_ thread: ThreadIdentity, crowds: Int) {}
  func forget(_ thread: ThreadIdentity) {}
  func tell(_ thread: ThreadIdentity) {}
  #endif
}
