#if TSAN_LOCK
@testable import StreamQuery

/// The lock of tests: the one that the thread sanitizer sees, where it is at work.
typealias TestLock = StreamQuery.Mutex
#else
import Synchronization

/// The lock of tests: the one that the thread sanitizer sees, where it is at work.
typealias TestLock = Synchronization.Mutex
#endif
