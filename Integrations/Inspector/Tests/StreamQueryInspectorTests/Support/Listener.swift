import FlyingSocks
import Foundation
import Testing

/// A socket that listens, as that of another program.
final class Listener: Sendable {
  private let socket: Socket

  /// Takes a port.
  init(port: UInt16) throws {
    let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
    socket = try Socket(domain: Int32(AF_INET))
    try socket.setValue(true, for: .localAddressReuse)
    try socket.bind(to: address)
    try socket.listen()
  }

  deinit { try? socket.close() }

  /// Takes a port of this process away from whoever listens there, as the system does with apps in the background.
  static func shutDown(_ port: UInt16) throws {
    var found = 0
    for file in Int32(3)..<4_096 where isListening(file, on: port) {
      found += 1
      #expect(shutdown(file, Int32(SHUT_RDWR)) == 0)
    }
    try #require(found == 1)
  }

  private static func isListening(_ file: Int32, on port: UInt16) -> Bool {
    var (listens, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    guard getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens != 0 else {
      return false
    }
    guard case .ip4(_, port)? = try? Socket(file: .init(rawValue: file)).sockname() else {
      return false
    }
    return true
  }
}
