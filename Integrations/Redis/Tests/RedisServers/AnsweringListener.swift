#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// A port that says what a test wants, whatever it is asked.
package final class AnsweringListener {
  /// The port.
  package let port: UInt16
  private let listener: Int32
  private var connections: [Int32] = []

  /// Listens.
  ///
  /// - Throws: That the system gives no port.
  package init() throws {
    let listening = try Loopback.listen()
    (listener, port) = (listening.socket, listening.port)
  }

  deinit { for socket in connections + [listener] { close(socket) } }

  /// Waits for a connection, and sends texts to it until it is over; it stays open.
  ///
  /// - Parameter texts: The texts.
  /// - Returns: Whether the connection took all of them.
  @discardableResult
  package func answer(with texts: some Sequence<String>) -> Bool {
    let connection = Loopback.accept(on: listener)
    guard connection >= 0 else { return false }
    connections.append(connection)
    #if canImport(Darwin)
    var on: Int32 = 1
    setsockopt(
      connection,
      SOL_SOCKET,
      SO_NOSIGPIPE,
      &on,
      socklen_t(MemoryLayout<Int32>.size)
    )
    #endif
    return texts.allSatisfy { Loopback.send($0.utf8, on: connection) }
  }
}
