// The part of the C library that the sources use.
public struct timespec {
  public var tv_sec = 0
  public var tv_nsec = 0
  public init() {}
  public init(tv_sec: Int, tv_nsec: Int) {}
}
public struct pthread_mutex_t { public init() {} }
public struct pthread_mutexattr_t { public init() {} }
public func pthread_mutex_init(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
  _ attributes: UnsafePointer<pthread_mutexattr_t>?
) -> Int32 { 0 }
public func pthread_mutex_destroy(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
public func pthread_mutex_lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
public func pthread_mutex_trylock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
public func pthread_mutex_unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
public func pthread_main_np() -> Int32 { 1 }
public typealias pthread_t = OpaquePointer
public func pthread_self() -> pthread_t { fatalError() }
@discardableResult
public func write(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { 0 }
public let SIGCONT: Int32 = 19
public let RTLD_NOW: Int32 = 2
public func dlopen(_ path: UnsafePointer<CChar>?, _ mode: Int32) -> UnsafeMutableRawPointer? { nil }
public func dlsym(
  _ handle: UnsafeMutableRawPointer?,
  _ symbol: UnsafePointer<CChar>
) -> UnsafeMutableRawPointer? { nil }
public var errno: Int32 { 0 }
public let EINTR: Int32 = 4
public let EIO: Int32 = 5
public let ENOENT: Int32 = 2
public let ENOTDIR: Int32 = 20
public let EACCES: Int32 = 13
public let EPERM: Int32 = 1
public let EROFS: Int32 = 30
public let ENOSPC: Int32 = 28
public let EDQUOT: Int32 = 69
public let EFBIG: Int32 = 27
public let EWOULDBLOCK: Int32 = 35
public struct stat {
  public var st_dev: Int32 = 0
  public var st_ino: UInt64 = 0
  public init() {}
  // Stands in for the function of the same name: C allows both, and a Swift file does not.
  public init(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>) {}
  public static func != (result: stat, number: Int32) -> Bool { false }
}
public func fstat(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 { 0 }
public typealias mode_t = UInt16
public typealias off_t = Int64
public let O_RDONLY: Int32 = 0
public let O_RDWR: Int32 = 2
public let O_CREAT: Int32 = 0x200
public let O_TRUNC: Int32 = 0x400
public let O_CLOEXEC: Int32 = 0x100_0000
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
@discardableResult
public func close(_ file: Int32) -> Int32 { 0 }
public let LOCK_EX: Int32 = 2
public let LOCK_NB: Int32 = 4
public let LOCK_UN: Int32 = 8
public func flock(_ file: Int32, _ operation: Int32) -> Int32 { 0 }
public let F_FULLFSYNC: Int32 = 51
public let F_SETPROTECTIONCLASS: Int32 = 64
public func fcntl(_ file: Int32, _ command: Int32) -> Int32 { 0 }
public func fcntl(_ file: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
public func pread(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t) -> Int { 0 }
public func pwrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: off_t) -> Int { 0 }
public func ftruncate(_ file: Int32, _ length: off_t) -> Int32 { 0 }
public func fsync(_ file: Int32) -> Int32 { 0 }
public let SEEK_END: Int32 = 2
public func lseek(_ file: Int32, _ offset: off_t, _ origin: Int32) -> off_t { 0 }
public func rename(_ path: UnsafePointer<CChar>?, _ newPath: UnsafePointer<CChar>?) -> Int32 { 0 }
public func unlink(_ path: UnsafePointer<CChar>?) -> Int32 { 0 }
public func mkdir(_ path: UnsafePointer<CChar>?, _ mode: mode_t) -> Int32 { 0 }
public let F_OK: Int32 = 0
public func access(_ path: UnsafePointer<CChar>?, _ mode: Int32) -> Int32 { 0 }

public func log(_: Double) -> Double { fatalError() }
