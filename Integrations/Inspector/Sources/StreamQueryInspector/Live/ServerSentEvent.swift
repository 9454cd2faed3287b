internal import Foundation

/// An element of the stream that a page reads.
enum ServerSentEvent: Equatable, Sendable {
  /// An event with a name and data of one or more lines.
  case event(String, data: Data)
  /// A comment, which the page ignores. Sending it shows whether the page still reads.
  case comment

  /// The event that asks a page whether somebody is there.
  static let ask = Self.event("ask", data: Data("{}".utf8))

  /// The event that tells a page that the client has ended.
  static let end = Self.event("end", data: Data("{}".utf8))

  /// The event that tells a page that newer pages have taken its place.
  static let replaced = Self.event(
    "replaced",
    data: Data(
      #"{"error":"\#(PagePresence.limit) newer pages show this client. Close one of them, and reload this one."}"#
        .utf8
    )
  )

  /// The first bytes of a stream, which tell a page to reconnect one second after it lost the connection.
  static let preamble = Data("retry: 1000\n\n".utf8)

  /// The event in the format of `text/event-stream`.
  var encoded: Data {
    switch self {
    case .comment: return Data(":\n\n".utf8)
    case .event(let name, let data):
      var encoded = Data("event: \(name)\n".utf8)
      for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        encoded.append(contentsOf: Data("data: ".utf8))
        encoded.append(contentsOf: line.filter { $0 != UInt8(ascii: "\r") })
        encoded.append(UInt8(ascii: "\n"))
      }
      encoded.append(UInt8(ascii: "\n"))
      return encoded
    }
  }
}
