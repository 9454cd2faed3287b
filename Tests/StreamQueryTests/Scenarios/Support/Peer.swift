import StreamQuery

/// A client that a fetch of another one reaches without keeping it.
struct Peer: Sendable {
  private weak let stored: QueryClient?

  init(_ client: QueryClient) {
    stored = client
  }

  var client: QueryClient {
    get throws {
      guard let stored else { throw CancellationError() }
      return stored
    }
  }
}
