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
