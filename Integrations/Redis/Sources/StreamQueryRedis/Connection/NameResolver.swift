#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Finds the addresses of a name; the system may take any time for that.
enum NameResolver {
  /// The numeric addresses of a host.
  ///
  /// - Parameter host: A name or an address.
  /// - Returns: The addresses in the system's order of preference, or the reason why there are
  ///   none.
  static func addresses(of host: String) -> Result<[String], RedisLink.Failure> {
    var hints = addrinfo()
    #if canImport(Glibc)
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
    hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else {
      return .failure(.init(text: "\(host): \(String(cString: gai_strerror(status)))"))
    }
    defer { freeaddrinfo(list) }
    var result: [String] = []
    var next = list
    while let info = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(text.count)
      if getnameinfo(info.ai_addr, info.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0 {
        let address = String(
          decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
          as: UTF8.self
        )
        if !result.contains(address) { result.append(address) }
      }
      next = info.ai_next
    }
    return result.isEmpty ? .failure(.init(text: "\(host): no address")) : .success(result)
  }
}
