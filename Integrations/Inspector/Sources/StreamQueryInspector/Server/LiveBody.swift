internal import FlyingSocks
internal import Foundation

/// The body of the answer to `GET /events`, which lasts until the page is gone or the client has ended.
///
/// The server asks for the next bytes when the page has taken the last ones. If the connection is lost, the
/// next bytes cannot be written. Then the server drops the iterator, and the tasks that wait for events end.
/// Without events, the body sends comments, so that the server notices the loss within ten seconds.
struct LiveBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let events: LiveEvents

  func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    /// The maximum number of bytes that one call returns.
    private static let pieceSize = 1 << 16

    private var events: LiveEvents.Iterator
    private var bytes = ServerSentEvent.preamble
    /// The number of leading bytes in `bytes` that were returned.
    private var sent = 0

    init(events: LiveEvents.Iterator) {
      self.events = events
    }

    mutating func next() async throws -> UInt8? {
      try await nextBuffer(suggested: 1)?.first
    }

    // Returns at least one byte, as the protocol demands, and at most `pieceSize` bytes.
    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      while sent == bytes.count {
        guard let outputs = await events.next() else { return nil }
        (bytes, sent) = (Data(), 0)
        for output in outputs { bytes += try ServerSentEvent(output).encoded }
      }
      let piece = bytes.dropFirst(sent).prefix(count == 1 ? 1 : Self.pieceSize)
      sent += piece.count
      return Data(piece)
    }
  }
}

extension ServerSentEvent {
  /// Creates the event for an output of the feed; a record has the same JSON as in a saved file.
  init(_ output: LiveFeed.Output) throws {
    self =
      switch output {
      case .record(let record): .event("record", data: try InspectorJSON.encoder.encode(record))
      case .part(let part): .event("part", data: try InspectorJSON.encoder.encode(part))
      case .facts(let facts): .event("facts", data: facts)
      case .ask: .ask
      case .comment: .comment
      case .replaced: .replaced
      case .end: .end
      }
  }
}
