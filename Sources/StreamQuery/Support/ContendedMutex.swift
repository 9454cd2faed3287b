import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if canImport(Glibc) || canImport(Musl)

/// A mutex for data that all threads of a process share.
///
/// `Synchronization.Mutex` on Linux is a futex with priority inheritance: a thread that unlocks it while
/// another one waits hands it over through the kernel, and finds it locked the next time. With more threads
/// than cores, each call then costs a change of threads: with eight threads on two cores the standard mutex
/// was 16 to 80 times slower than this one. Without contention the standard mutex is as fast as this one, and
/// smaller. So this mutex suits data that all threads of a process share, but not the cache of a client.
///
/// Unchecked `Sendable` because the value is accessed only under the lock.
struct ContendedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  init(_ value: consuming sending Value) {
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    // The call could fail only because of attributes, and there are none.
    pthread_mutex_init(lock, nil)
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  @inline(__always)
  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}

#else

/// A mutex for data that all threads of a process share; on other systems, this is the standard mutex.
typealias ContendedMutex = Mutex

#endif
