#if TSAN_LOCK
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces `Synchronization.Mutex` under the thread sanitizer.
///
/// On Linux the sanitizer does not understand the standard mutex, and reports a race for every
/// value behind it. This type shadows the standard one within this module only.
///
/// Unchecked `Sendable` because the value is accessed only under the lock. Remove this type when
/// the sanitizer runtime on Linux supports `Synchronization.Mutex`.
@usableFromInline final class Mutex<Value: ~Copyable>: @unchecked Sendable {
  private var value: Value
  private let lock: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline
  init(_ value: consuming sending Value) {
    self.value = value
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  @usableFromInline
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }
}
#endif
