import FlyingFox
import FlyingSocks
import Foundation
import Testing

@testable import StreamQueryInspector

/// A connection to a server, over which a test writes what it likes.
final class Browser {
  private let socket: AsyncSocket
  private var received: [UInt8] = []
  let port: UInt16
  let token: String

  init(_ link: URL) async throws {
    port = UInt16(try #require(link.port))
    let items = URLComponents(url: link, resolvingAgainstBaseURL: false)?.queryItems
    token = try #require(items?.first { $0.name == "token" }?.value)
    socket = try await AsyncSocket.connected(to: try sockaddr_in.inet(ip4: "127.0.0.1", port: port))
  }

  /// Sends a request.
  func send(
    _ line: String,
    host: String? = nil,
    token: String? = nil,
    headers: [String] = [],
    body: String = ""
  ) async throws {
    var lines = ["\(line) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
    let token = token ?? self.token
    if !token.isEmpty { lines.append("X-StreamQuery-Token: \(token)") }
    if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
    let text = (lines + headers + ["", body]).joined(separator: "\r\n")
    try await socket.write(Data(text.utf8))
  }

  /// Reads until the text is there.
  ///
  /// - Returns: All that came before the text, and the text.
  @discardableResult
  func read(until text: String) async throws -> String {
    let wanted = Array(text.utf8)
    while true {
      if let end = received.firstRange(of: wanted)?.upperBound {
        defer { received.removeFirst(end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      received += try await socket.read(atMost: 65_536)
    }
  }

  /// Reads what is there, or waits for the next bytes.
  func read(atMost count: Int) async throws -> [UInt8] {
    guard received.isEmpty else {
      defer { received = [] }
      return received
    }
    return try await socket.read(atMost: count)
  }

  /// Sends a request and reads the answer.
  func answer(
    _ line: String,
    host: String? = nil,
    token: String? = nil,
    headers: [String] = [],
    body: String = ""
  ) async throws -> (status: Int, head: String, body: String) {
    try await send(line, host: host, token: token, headers: headers, body: body)
    let head = try await read(until: "\r\n\r\n")
    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    let length = head.firstMatch(of: #/Content-Length: (\d+)/#).flatMap { Int($0.output.1) } ?? 0
    while received.count < length { received += try await socket.read(atMost: 65_536) }
    defer { received.removeFirst(length) }
    return (try #require(status), head, String(decoding: received[..<length], as: UTF8.self))
  }

  /// Reads until the server closes the connection.
  func readToEnd() async throws -> String {
    do {
      while true { received += try await socket.read(atMost: 65_536) }
    } catch SocketError.disconnected {
      return String(decoding: received, as: UTF8.self)
    }
  }

  /// Closes the connection at once, so that the next byte that the server writes is refused.
  func reset() throws {
    var lingering = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      socket.socket.file.rawValue,
      SOL_SOCKET,
      SO_LINGER,
      &lingering,
      socklen_t(MemoryLayout<linger>.size)
    )
    try socket.close()
  }
}
