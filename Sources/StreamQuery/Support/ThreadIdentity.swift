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

/// The identity of a thread, as a comparable number; reading it takes a few nanoseconds.
package struct ThreadIdentity: Hashable, Sendable {
  /// The number; never zero.
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
