#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// An error that a system call returned to a store.
///
/// ``QueryStoreError/failed(_:)`` contains it, unless another case describes it.
public struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the system call.
  public var call: String
  /// The value of `errno` after the call.
  public var code: Int32

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - call: The name of the system call.
  ///   - code: The value of `errno` after the call.
  public init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// A text with the name of the call and the number of the error.
  public var description: String { "\(call) failed with error \(code)" }
}

#if !os(Windows) && !os(WASI)
extension QueryStoreError {
  /// Returns the store's error for an error of the system.
  static func system(_ call: String, _ code: Int32 = errno) -> Self {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: .full
    case EACCES, EPERM, EROFS: .denied
    default: .failed(SystemCallError(call: call, code: code))
    }
  }
}
#endif
