internal import FlyingSocks
internal import Foundation

/// The body of the last answer of a connection, which the server closes after it.
///
/// The server would take the rest of a body that nobody has read for the next request. It reads that line in a time that
/// grows with the square of its length, and so the whole app would stand still. An answer that fails ends the connection.
struct LastBody: AsyncBufferedSequence {
  typealias Element = UInt8

  /// The error that ends the connection.
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
