#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

internal import Foundation

/// A port that says what a test wants, whatever it is asked.
package final class AnsweringListener {
  /// The port.
  package let port: UInt16
  private let listener: Int32
  private var connections: [Int32] = []

  /// Listens.
  ///
  /// - Parameters:
  ///   - port: The port; `0` is one that is free.
  ///   - host: The last byte of the address; only Linux has others than 127.0.0.1.
  /// - Throws: That the system gives no port.
  package init(on port: UInt16 = 0, host: UInt8 = 1) throws {
    let listening = try Loopback.listen(on: port, host: host)
    (listener, self.port) = (listening.socket, listening.port)
  }

  deinit { for socket in connections + [listener] { close(socket) } }

  /// Waits up to ten seconds for a connection, and sends texts to it until it is over.
  ///
  /// - Parameters:
  ///   - texts: The texts.
  ///   - closes: Whether the connection is closed then; otherwise it stays open.
  /// - Returns: Whether the connection took all of them.
  @discardableResult
  package func answer(with texts: [String], closes: Bool = false) async -> Bool {
    let listener = listener
    // Not on a thread that whoever connects may need.
    let (connection, isTaken) = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Self.answer(on: listener, with: texts))
      }
    }
    if connection >= 0 {
      if closes { close(connection) } else { connections.append(connection) }
    }
    return isTaken
  }

  private static func answer(on listener: Int32, with texts: [String]) -> (Int32, Bool) {
    var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 10_000) == 1 else { return (-1, false) }
    let connection = Loopback.accept(on: listener)
    guard connection >= 0 else { return (-1, false) }
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
    return (connection, texts.allSatisfy { Loopback.send($0.utf8, on: connection) })
  }
}
