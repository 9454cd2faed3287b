#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// Sockets on the loopback interface.
enum Loopback {
  /// A socket that listens on a port, or on one that is free.
  ///
  /// - Parameters:
  ///   - port: The port; `0` is one that is free.
  ///   - host: The last byte of the address.
  ///   - queue: How many connections wait to be accepted.
  /// - Returns: The socket and its port.
  /// - Throws: That the system gives none.
  static func listen(
    on port: UInt16 = 0,
    host: UInt8 = 1,
    queue: Int32 = 128
  ) throws(TestServerError) -> (socket: Int32, port: UInt16) {
    let descriptor = stream()
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in(port: port, host: host)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    var length = size
    let named = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    #if canImport(Darwin)
    let listening = Darwin.listen(descriptor, queue)
    #else
    let listening = Glibc.listen(descriptor, queue)
    #endif
    guard bound == 0, named == 0, listening == 0 else {
      close(descriptor)
      throw TestServerError(description: "no port: \(String(cString: strerror(errno)))")
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// A socket that is connected to a port, or `-1`.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - host: The last byte of the address.
  ///   - waits: Whether it waits until the connection is there; if not, it may never be.
  /// - Returns: The socket.
  static func connect(to port: UInt16, host: UInt8 = 1, waits: Bool = true) -> Int32 {
    let descriptor = stream()
    if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    var address = sockaddr_in(port: port, host: host)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Darwin)
        Darwin.connect(descriptor, $0, size)
        #else
        Glibc.connect(descriptor, $0, size)
        #endif
      }
    }
    if status == 0 || (!waits && errno == EINPROGRESS) { return descriptor }
    close(descriptor)
    return -1
  }

  /// Accepts the next connection of a socket that listens.
  ///
  /// - Parameter listener: The socket that listens.
  /// - Returns: The connection, or `-1`.
  static func accept(on listener: Int32) -> Int32 {
    #if canImport(Darwin)
    let connection = Darwin.accept(listener, nil, nil)
    #else
    let connection = Glibc.accept(listener, nil, nil)
    #endif
    if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
    return connection
  }

  /// Sends bytes, and waits until the system has them all.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - socket: A connection.
  /// - Returns: Whether the connection took them.
  static func send(_ bytes: some Collection<UInt8>, on socket: Int32) -> Bool {
    var rest = ArraySlice(bytes)
    while !rest.isEmpty {
      #if canImport(Darwin)
      let count = rest.withUnsafeBytes { Darwin.send(socket, $0.baseAddress, $0.count, 0) }
      #else
      let flags = Int32(MSG_NOSIGNAL)
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, flags) }
      #endif
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func stream() -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// A port that nobody uses now.
  ///
  /// - Returns: The port.
  /// - Throws: That the system gives none.
  static func freePort() throws(TestServerError) -> UInt16 {
    let (descriptor, port) = try listen()
    close(descriptor)
    return port
  }
}

extension sockaddr_in {
  /// The address of a port on the loopback interface.
  fileprivate init(port: UInt16, host: UInt8) {
    self.init()
    sin_family = sa_family_t(AF_INET)
    sin_port = port.bigEndian
    sin_addr.s_addr = (0x7f00_0000 + UInt32(host)).bigEndian
  }
}
