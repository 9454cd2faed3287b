import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// An application that answers the requests of a test.
struct ServedApplication: Sendable {
  struct Response: Sendable {
    var status: Int
    var contentType: String?
    var body = Data()
  }

  /// Gets a path.
  let get: @Sendable (_ path: String) async throws -> Response

  // Every context of a request has a channel. Nothing is sent through this one.
  private static let unusedChannel = NIOAsyncTestingChannel()

  /// Calls the application's responder in this process, without the application's services.
  static func inProcess<App: ApplicationProtocol>(_ application: App) async throws -> Self {
    let (responder, logger) = (try await application.responder, application.logger)
    return Self { path in
      let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
      let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
      let source = ApplicationRequestContextSource(channel: unusedChannel, logger: logger)
      let response = try await responder.respond(to: request, context: App.Context(source: source))
      let written = WrittenBody()
      try await response.body.write(written)
      let contentType = response.headers[.contentType]
      return Response(status: response.status.code, contentType: contentType, body: written.data)
    }
  }

  /// Runs the application for requests over HTTP/1.1, and then shuts it down gracefully.
  static func overNetwork<Value: Sendable>(
    _ application: some ApplicationProtocol,
    _ body: @Sendable (Self) async throws -> Value
  ) async throws -> Value {
    let (addresses, listening) = AsyncStream.makeStream(of: SocketAddress.self)
    let service = ListeningApplication(base: application, listening: listening)
    let configuration = ServiceGroupConfiguration(services: [service], logger: application.logger)
    let group = ServiceGroup(configuration: configuration)
    async let end: Void = {
      // A server that cannot start has no address.
      defer { listening.finish() }
      try await group.run()
    }()
    let result: Result<Value, any Error>
    do {
      guard let server = await addresses.first(where: { _ in true }) else { throw ChannelError.eof }
      result = .success(try await body(Self { try await get($0, from: server) }))
    } catch {
      result = .failure(error)
    }
    await group.triggerGracefulShutdown()
    try await end
    return try result.get()
  }

  /// Gets a path over a connection of its own, so that requests may wait for each other.
  private static func get(_ path: String, from server: SocketAddress) async throws -> Response {
    let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    let connection = try await bootstrap.connect(to: server) { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
          wrappingChannelSynchronously: channel
        )
      }
    }
    return try await connection.executeThenClose { inbound, outbound in
      let headers: HTTPHeaders = ["host": "localhost"]
      let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
      try await outbound.write(contentsOf: [.head(head), .end(nil)])
      var response = Response(status: 0)
      for try await part in inbound {
        switch part {
        case .head(let head):
          response.status = Int(head.status.code)
          response.contentType = head.headers.first(name: "content-type")
        case .body(let bytes): response.body.append(contentsOf: bytes.readableBytesView)
        case .end: return response
        }
      }
      throw ChannelError.eof
    }
  }
}

/// Collects the body of a response.
private final class WrittenBody: ResponseBodyWriter, Sendable {
  private let bytes = Mutex(Data())
  var data: Data { bytes.withLock { $0 } }

  func write(_ buffer: ByteBuffer) async throws {
    bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// An application that says where its server listens.
private struct ListeningApplication<Base: ApplicationProtocol>: ApplicationProtocol {
  let base: Base
  let listening: AsyncStream<SocketAddress>.Continuation
  var responder: Base.Responder { get async throws { try await base.responder } }
  var configuration: ApplicationConfiguration { base.configuration }
  var logger: Logger { base.logger }
  var services: [any Service] { base.services }

  func onServerRunning(_ channel: any Channel) async {
    if let address = channel.localAddress { listening.yield(address) }
  }
}
