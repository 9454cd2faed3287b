import FlyingFox
import FlyingSocks
import Foundation

/// A real HTTP server on the loopback address that can be stopped and started again on its port.
///
/// The first start takes a free port; later starts take the same one, so that an URL stays right
/// while the server is away. The data of the API survives a stop, as in a database.
actor DemoServer {
  private var api = DemoAPI()
  private var running: (server: HTTPServer, task: Task<Void, any Error>)?
  private var port: UInt16?

  /// The address of the server, even after it was stopped; `nil` before the first start.
  var url: URL? {
    port.flatMap { URL(string: "http://127.0.0.1:\($0)") }
  }

  /// How often the request line arrived, such as `GET /users/1`.
  func count(of line: String) -> Int {
    api.counts[line, default: 0]
  }

  /// Starts listening and returns the server's address.
  ///
  /// If the server listens already, the call only returns the address.
  @discardableResult
  func start() async throws -> URL {
    if running == nil {
      let server = HTTPServer(
        address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port ?? 0),
        logger: .disabled,
        handler: ClosureHTTPHandler { [self] request in try await respond(to: request) }
      )
      let task = Task { try await server.run() }
      running = (server, task)
      do {
        try await server.waitUntilListening()
        if case .ip4(_, let free) = await server.listeningAddress { port = free }
      } catch {
        running = nil
        task.cancel()
        throw error
      }
    }
    guard let url else { throw URLError(.cannotFindHost) }
    return url
  }

  /// Stops listening and cuts the connections that are open.
  func stop() async {
    guard let (server, task) = running else { return }
    running = nil
    await server.stop()
    task.cancel()
    _ = await task.result
  }

  private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
    let query = request.query.map { ($0.name, $0.value) }
    let body = try await request.bodyData
    let reply = api.answer(
      DemoAPI.Request(
        method: request.method.rawValue,
        path: request.path,
        query: Dictionary(query) { first, _ in first },
        body: body
      )
    )
    try await Task.sleep(for: reply.delay)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return HTTPResponse(
      statusCode: HTTPStatusCode(reply.status, phrase: ""),
      headers: [.contentType: "application/json"],
      body: try encoder.encode(reply.body)
    )
  }
}
