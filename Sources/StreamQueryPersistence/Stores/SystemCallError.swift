#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// An error that the system returned to a call of a store.
///
/// It is in ``QueryStoreError/failed(_:)`` if no other case describes it.
public struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the call.
  public var call: String
  /// The value of `errno`.
  public var code: Int32

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - call: The name of the call.
  ///   - code: The value of `errno`.
  public init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// The call and the number.
  public var description: String { "\(call) failed with error \(code)" }
}

#if !os(Windows) && !os(WASI)
extension QueryStoreError {
  /// The error of a store for an error of the system.
  static func system(_ call: String, _ code: Int32 = errno) -> Self {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: .full
    case EACCES, EPERM, EROFS: .denied
    default: .failed(SystemCallError(call: call, code: code))
    }
  }
}
#endif
