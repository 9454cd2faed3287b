#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// A port that takes no connection: its queue is full, and nobody empties it.
package final class FullListener {
  /// The port.
  package let port: UInt16
  private let sockets: [Int32]

  #if canImport(Darwin)
  /// The shortest queue; Apple's systems take zero for the longest.
  private static let shortest: Int32 = 1
  #else
  /// The shortest queue.
  private static let shortest: Int32 = 0
  #endif

  /// Fills the queue.
  ///
  /// - Parameters:
  ///   - port: The port; `0` is one that is free.
  ///   - host: The last byte of the address; only Linux has others than 127.0.0.1.
  /// - Throws: That the system gives no port.
  package init(on port: UInt16 = 0, host: UInt8 = 1) throws {
    let listener = try Loopback.listen(on: port, host: host, queue: Self.shortest)
    self.port = listener.port
    // Those that fit, and some that wait.
    let waiting = (0..<8).map { _ in
      Loopback.connect(to: listener.port, host: host, waits: false)
    }
    sockets = [listener.socket] + waiting.filter { $0 >= 0 }
  }

  deinit { for socket in sockets { close(socket) } }
}
