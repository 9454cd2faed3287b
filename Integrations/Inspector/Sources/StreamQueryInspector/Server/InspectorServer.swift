internal import FlyingFox
internal import FlyingSocks
internal import Foundation
@_spi(Adapters) internal import StreamQuery

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Listens on the loopback address, from its start until it is stopped or the client has ended.
actor InspectorServer {
  private enum Stage {
    case idle
    case listening(HTTPServer, Task<Void, any Error>)
    case stopped(Task<Void, Never>?)
  }

  private let subject: InspectedClient
  private let port: UInt16
  private let token: String
  private let allowsActions: Bool
  private var stage = Stage.idle
  private var end: EndOfClient?

  init(_ subject: InspectedClient, port: UInt16, token: String, allowsActions: Bool) {
    self.subject = subject
    self.port = port
    self.token = token
    self.allowsActions = allowsActions
  }

  /// Starts to listen, until it is stopped or the client has ended.
  ///
  /// - Returns: The link to the page.
  /// - Throws: The reason for which it cannot listen.
  func start() async throws(InspectorError) -> URL {
    do {
      try watchClient()
      return try await listen()
    } catch {
      end = nil
      throw error
    }
  }

  private func listen() async throws(InspectorError) -> URL {
    let handler = InspectorHandler(subject: subject, files: .bundled())
    let server: HTTPServer
    do {
      let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
      server = HTTPServer(address: address, logger: .disabled, handler: handler)
    } catch {
      throw .cannotListen(port: port, reason: "\(error)")
    }
    // No executor preference: the work of the inspector is not the client's.
    let listening = Task { try await server.waitUntilListening() }
    let task = Task {
      defer { listening.cancel() }
      try await server.run()
    }
    let bound = await listening.result
    guard case .success = bound, case .ip4(_, let port) = await server.listeningAddress,
      let link = URL(string: "http://127.0.0.1:\(port)/?token=\(token)")
    else {
      task.cancel()
      throw refusal(await task.result)
    }
    if case .stopped = stage {
      await stop(server, task)
      throw .ended
    }
    stage = .listening(server, task)
    handler.open(
      RequestGate(
        port: port,
        token: token,
        files: handler.files.names,
        allowsActions: allowsActions
      )
    )
    return link
  }

  private func watchClient() throws(InspectorError) {
    guard let client = subject.client else { throw .ended }
    guard client.conditions != nil else { throw .notRecording }
    // It retains the server, which nobody else may do, until one of them ends.
    end = EndOfClient(client) {
      // No executor preference: the work of the inspector is not the client's.
      Task { await self.stop() }
    }
  }

  /// Stops listening.
  ///
  /// Pages are sent the end of the client first if it has ended.
  func stop() async {
    switch stage {
    case .idle: stage = .stopped(nil)
    // No executor preference: the work of the inspector is not the client's.
    case .listening(let server, let task): stage = .stopped(Task { await stop(server, task) })
    case .stopped: break
    }
    end = nil
    if case .stopped(let stopping) = stage { await stopping?.value }
  }

  private func stop(_ server: HTTPServer, _ task: Task<Void, any Error>) async {
    // Time for the last event of pages.
    await server.stop(timeout: subject.hasPages ? 1 : 0)
    task.cancel()
    _ = await task.result
    // After the last request.
    subject.endConditions()
  }

  private func refusal(_ result: Result<Void, any Error>) -> InspectorError {
    guard case .failure(let error) = result else {
      return .cannotListen(port: port, reason: "it was stopped")
    }
    if case SocketError.failed(_, EADDRINUSE, _) = error { return .portTaken(port) }
    return .cannotListen(port: port, reason: "\(error)")
  }
}
