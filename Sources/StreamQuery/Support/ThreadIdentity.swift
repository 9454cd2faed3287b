#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#elseif os(Windows)
internal import WinSDK
#endif

/// Identifies a thread by a comparable number; a few nanoseconds to read.
package struct ThreadIdentity: Hashable, Sendable {
  /// Never zero.
  package let number: UInt

  package init(number: UInt) {
    self.number = number
  }

  package static var current: Self {
    #if canImport(Darwin)
    Self(number: UInt(bitPattern: pthread_self()))
    #elseif os(Windows)
    Self(number: UInt(GetCurrentThreadId()))
    #else
    Self(number: UInt(pthread_self()))
    #endif
  }
}
