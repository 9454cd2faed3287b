internal import FlyingSocks
internal import Foundation

/// The body of an answer after which the server closes the connection, because this body ends with an error.
///
/// If the connection stayed open, the server would take the unread rest of the request's body for the next
/// request. The server reads a line of a request in a time that grows with the square of its length, so a
/// long rest would block the whole app.
struct LastBody: AsyncBufferedSequence {
  typealias Element = UInt8

  /// The error after the last byte, which makes the server close the connection.
  struct End: Error {}

  let bytes: Data

  func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    private var bytes: Data

    init(bytes: Data) {
      self.bytes = bytes
    }

    mutating func next() async throws -> UInt8? {
      try await nextBuffer(suggested: 1)?.first
    }

    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      guard !bytes.isEmpty else { throw End() }
      defer { bytes = Data(bytes.dropFirst(count)) }
      return Data(bytes.prefix(count))
    }
  }
}
