#if os(Linux)
#if canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension InterfaceAddress {
  /// Every internet address of the host; `nil` if the system does not tell.
  static func present() -> [InterfaceAddress]? {
    var head: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&head) == 0 else { return nil }
    defer { freeifaddrs(head) }
    var addresses: [InterfaceAddress] = []
    var next = head
    while let entry = next {
      next = entry.pointee.ifa_next
      guard let bytes = bytes(of: entry.pointee.ifa_addr) else { continue }
      let flags = entry.pointee.ifa_flags
      addresses.append(
        InterfaceAddress(
          isRunning: flags & running == running,
          isLoopback: flags & loopback != 0,
          bytes: bytes
        )
      )
    }
    return addresses
  }

  /// `IFF_UP` and `IFF_RUNNING`; C libraries export them as different types.
  private static let running: UInt32 = 0x1 | 0x40
  /// `IFF_LOOPBACK`.
  private static let loopback: UInt32 = 0x8

  private static func bytes(of address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
    guard let address else { return nil }
    switch CInt(address.pointee.sa_family) {
    case AF_INET:
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
      }
    case AF_INET6:
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
      }
    default:
      return nil
    }
  }
}
#endif
