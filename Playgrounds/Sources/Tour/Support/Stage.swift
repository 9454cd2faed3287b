import Foundation
import StreamQuery

/// The objects that all parts of the tour share: one server, one client, one timeline.
struct Stage: Sendable {
  let timeline: Timeline
  let checks: Checks
  let server: DemoServer
  let api: API
  let client: QueryClient

  /// The network of this device, as the client sees it.
  let network: Network

  init(_ timeline: Timeline, _ checks: Checks) async throws {
    self.timeline = timeline
    self.checks = checks
    server = DemoServer()
    api = API(url: try await server.start())
    network = Network()
    client = QueryClient(configuration: .init(connectivity: network.connectivity))
  }

  /// Opens a screen for a query.
  func open<Value>(
    _ name: String,
    _ query: Query<Value>,
    caption: @escaping @Sendable (Value) -> String
  ) -> Screen<Value> {
    Screen(name, client.stream(query), on: timeline, caption: caption)
  }

  /// How often the server has got a request line so far, such as `GET /users/1`.
  func requests(_ line: String) async -> Int {
    await server.count(of: line)
  }
}

/// A network that the tour can switch off; an app would use `.system` instead.
struct Network: Sendable {
  private let states = AsyncStream<Bool>.makeStream()

  var connectivity: Connectivity {
    let stream = states.stream
    return Connectivity { stream }
  }

  func set(isOnline: Bool) {
    states.continuation.yield(isOnline)
  }
}
