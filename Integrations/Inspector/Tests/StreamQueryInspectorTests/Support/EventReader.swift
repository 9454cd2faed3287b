import Foundation

@testable import StreamQueryInspector

/// Reads the stream of `GET /events` as its bytes come, and adds up the events that the page was sent.
struct EventReader {
  /// A record or a part, without what its events say.
  private struct Part: Decodable {
    struct Event: Decodable {
      init(from decoder: any Decoder) {}
    }

    var first: Int
    var lost: Int
    var events: [Event]
  }

  /// The number of records and parts.
  private(set) var parts = 0
  /// The number of events that the page was sent.
  private(set) var shown = 0
  /// The number of events that the page was told to have missed.
  private(set) var lost = 0
  /// The number of the last event.
  private(set) var last = 0
  /// Whether each part began with the event after those before it, the lost ones included.
  private(set) var isGapless = true

  private var chunked: [UInt8] = []
  private var text: [UInt8] = []
  /// The number of bytes of `text` in which no event ends.
  private var searched = 0

  /// Takes the next bytes of the answer's body, which is chunked.
  mutating func take(_ bytes: [UInt8]) throws {
    chunked += bytes
    while let line = chunked.firstRange(of: Array("\r\n".utf8)) {
      let size = Int(String(decoding: chunked[..<line.lowerBound], as: UTF8.self), radix: 16) ?? 0
      let end = line.upperBound + size
      guard chunked.count >= end + 2 else { break }
      text += chunked[line.upperBound..<end]
      chunked.removeFirst(end + 2)
      try takeEvents()
    }
  }

  private mutating func takeEvents() throws {
    let ending = Array("\n\n".utf8)
    while let end = text[max(searched - 1, 0)...].firstRange(of: ending) {
      let lines = text[..<end.lowerBound].split(separator: UInt8(ascii: "\n"))
      if let name = lines.first,
        ["record", "part"].contains(String(decoding: name.dropFirst(7), as: UTF8.self))
      {
        try take(InspectorJSON.decoder.decode(Part.self, from: Data(lines[1].dropFirst(6))))
      }
      text.removeFirst(end.upperBound)
      searched = 0
    }
    searched = text.count
  }

  private mutating func take(_ part: Part) {
    if part.first != last + 1 + part.lost { isGapless = false }
    parts += 1
    shown += part.events.count
    lost += part.lost
    last = part.first + part.events.count - 1
  }
}
