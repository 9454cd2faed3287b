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

  /// Fills the queue.
  ///
  /// - Throws: That the system gives no port.
  package init() throws {
    let listener = try Loopback.listen(queue: 0)
    port = listener.port
    // Those that fit, and some that wait.
    let waiting = (0..<8).map { _ in Loopback.connect(to: listener.port, waits: false) }
    sockets = [listener.socket] + waiting.filter { $0 >= 0 }
  }

  deinit { for socket in sockets { close(socket) } }
}
