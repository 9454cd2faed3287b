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

/// Serves the page on the loopback address, from ``start()`` until ``stop()`` or the end of the client.
///
/// If the socket is lost, the server listens again at the same link, or logs that it cannot.
actor InspectorServer {
  private enum Stage {
    case idle
    case listening(HTTPServer, Task<Void, any Error>, URL)
    /// The socket was lost, and the server tries to listen again; the task is the newest try.
    case returning(URL, Task<Result<URL, InspectorError>, Never>?)
    /// The socket was lost, and all tries to listen again have failed.
    case failed(InspectorError)
    case stopped(Task<Void, Never>?)
  }

  private let subject: InspectedClient
  /// The port to listen on; 0 means any free port, until the server has got one.
  private var port: UInt16
  private let token: String
  private let allowsActions: Bool
  private let log: @Sendable (String) -> Void
  private var plan: RestartPlan
  private var clock: any Clock<Duration> = ContinuousClock()
  private var stage = Stage.idle
  private var end: EndOfClient?

  init(
    _ subject: InspectedClient,
    port: UInt16,
    token: String,
    allowsActions: Bool,
    restarts plan: RestartPlan = RestartPlan(),
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.subject = subject
    self.port = port
    self.token = token
    self.allowsActions = allowsActions
    self.plan = plan
    self.log = log
  }

  /// The link to the page.
  var link: URL {
    get throws(InspectorError) {
      switch stage {
      case .listening(_, _, let link), .returning(let link, _): return link
      case .failed(let error): throw error
      case .idle, .stopped: throw .ended
      }
    }
  }

  /// Starts to listen, until the server is stopped or the client has ended.
  ///
  /// - Returns: The link to the page.
  /// - Throws: The reason why the server cannot listen.
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
    let pool = ListeningPool(HTTPServer.defaultPool())
    let server: HTTPServer
    do {
      let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
      server = HTTPServer(address: address, pool: pool, logger: .disabled, handler: handler)
    } catch {
      throw .cannotListen(port: port, reason: "\(error)")
    }
    // This task has no executor preference, because the inspector's work must not run on the client's
    // executor.
    let listening = Task { try await server.waitUntilListening() }
    let task = Task {
      defer { listening.cancel() }
      try await server.run()
    }
    pool.onLoss { task.cancel() }
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
    self.port = port
    stage = .listening(server, task, link)
    watch(server, task, pool)
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
    clock = client.clock
    // The closure retains the server until the server or the client ends, because an app need not retain its
    // inspector.
    end = EndOfClient(client) {
      // This task has no executor preference, because the inspector's work must not run on the client's
      // executor.
      Task { await self.stop() }
    }
  }

  /// Stops listening.
  ///
  /// If the client has ended, open pages are told so first.
  func stop() async {
    switch stage {
    case .idle: stage = .stopped(nil)
    case .returning(_, let attempt):
      // A try that is under way closes its socket when it finds that the server was stopped. This task has no
      // executor preference, because the inspector's work must not run on the client's executor.
      stage = .stopped(attempt.map { attempt in Task { _ = await attempt.value } })
      subject.endConditions(because: "the inspector has stopped")
    // This task has no executor preference, because the inspector's work must not run on the client's
    // executor.
    case .listening(let server, let task, _): stage = .stopped(Task { await stop(server, task) })
    case .failed, .stopped: break
    }
    end = nil
    if case .stopped(let stopping) = stage { await stopping?.value }
  }

  private func stop(_ server: HTTPServer, _ task: Task<Void, any Error>) async {
    // Open pages get a second to receive their last event.
    await server.stop(timeout: subject.hasPages ? 1 : 0)
    task.cancel()
    _ = await task.result
    // The server has stopped, so no request can set further conditions.
    subject.endConditions(because: "the inspector has stopped")
  }

  // MARK: Loss

  private func watch(
    _ server: HTTPServer,
    _ task: Task<Void, any Error>,
    _ pool: ListeningPool
  ) {
    let clock = clock
    // This task has no executor preference, because the inspector's work must not run on the client's
    // executor.
    Task {
      let time = await clock.measure { _ = await task.result }
      let result = await task.result
      await lost(server, pool.loss.map { .failure($0) } ?? result, after: time)
    }
  }

  /// Handles the end of a server: unless it was stopped, its socket was lost, and this actor listens again.
  private func lost(
    _ server: HTTPServer,
    _ result: Result<Void, any Error>,
    after time: Duration
  ) async {
    guard case .listening(let present, _, let link) = stage, present === server else { return }
    stage = .returning(link, nil)
    var refusal = refusal(result)
    log("the inspector has lost its socket, and listens again: \(refusal.reason)")
    var pause = plan.lost(after: time)
    while let wait = pause {
      if wait > .zero { try? await clock.sleep(for: wait) }
      guard case .returning = stage else { return }
      // This task has no executor preference, because the inspector's work must not run on the client's
      // executor.
      let attempt = Task { () async -> Result<URL, InspectorError> in
        guard case .returning = stage else { return .failure(.ended) }
        do throws(InspectorError) {
          return .success(try await listen())
        } catch {
          return .failure(error)
        }
      }
      stage = .returning(link, attempt)
      switch await attempt.value {
      case .success(let link):
        log("inspector again at \(link.absoluteString)")
        return
      case .failure(let error):
        refusal = error
        pause = plan.refused()
      }
    }
    guard case .returning = stage else { return }
    let error = InspectorError.lost(port: port, reason: refusal.reason)
    stage = .failed(error)
    end = nil
    log("no inspector: \(error)")
    subject.endConditions(because: "the inspector cannot listen")
  }

  private func refusal(_ result: Result<Void, any Error>) -> InspectorError {
    guard case .failure(let error) = result else {
      return .cannotListen(port: port, reason: "it was stopped")
    }
    if case SocketError.failed(_, EADDRINUSE, _) = error { return .portTaken(port) }
    return .cannotListen(port: port, reason: "\(error)")
  }
}
