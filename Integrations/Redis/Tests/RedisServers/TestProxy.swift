internal import Foundation
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// A network between a client and a server that a test can spoil.
package final class TestProxy: Sendable {
  /// What happens to the bytes.
  package enum Mode: Hashable, Sendable {
    /// They pass.
    case passes
    /// Each passes after a while.
    case delays(milliseconds: Int64)
    /// They pass one by one, with a pause between.
    case drips(milliseconds: Int64)
    /// None passes, and nobody is told.
    case swallows
    /// Connections are cut, and new ones too.
    case cuts
    /// Connections are cut in the middle of the server's next answer, after so many of its bytes.
    case cutsAnswers(after: Int)
  }

  private struct State {
    var mode = Mode.passes
    var accepted = 0
  }

  /// The port of the proxy.
  package let port: UInt16
  private let state = Mutex(State())
  private let ends: (reading: Int32, writing: Int32)

  /// Starts a proxy.
  ///
  /// - Parameter target: The port of the server.
  /// - Throws: That there is no port.
  package init(to target: UInt16) throws {
    let listener = try Loopback.listen()
    port = listener.port
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else { throw TestServerError(description: "no pipe") }
    for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(pair[0], F_SETFL, O_NONBLOCK)
    ends = (pair[0], pair[1])
    let thread = Thread { [weak self, reading = pair[0]] in
      var traffic = ProxyTraffic(listener: listener.socket, wake: reading, target: target)
      // The pipe has an end when the proxy has none any more.
      while let mode = self?.look(traffic.accepted) { traffic.round(mode) }
      traffic.end()
      close(reading)
    }
    thread.start()
  }

  deinit { close(ends.writing) }

  /// How many connections came.
  package var connections: Int { state.withLock { $0.accepted } }

  /// Changes what happens to the bytes from now on.
  ///
  /// - Parameter mode: What happens.
  package func set(_ mode: Mode) {
    state.withLock { $0.mode = mode }
    var byte: UInt8 = 1
    _ = write(ends.writing, &byte, 1)
  }

  private func look(_ accepted: Int) -> Mode {
    state.withLock { state in
      state.accepted = accepted
      return state.mode
    }
  }
}
