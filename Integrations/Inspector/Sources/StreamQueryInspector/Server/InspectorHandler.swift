internal import FlyingFox
internal import Foundation
internal import Synchronization

/// Answers HTTP requests: converts each of them to an ``InspectorRequest``, and each answer to a response.
final class InspectorHandler: HTTPHandler {
  let files: PageFiles
  private let subject: InspectedClient
  /// Decides which requests are answered; `nil` until the server has a port.
  private let gate = Mutex<RequestGate?>(nil)

  init(subject: InspectedClient, files: PageFiles) {
    self.subject = subject
    self.files = files
  }

  /// Lets the handler answer requests from now on, as the gate decides.
  func open(_ gate: RequestGate) {
    self.gate.withLock { $0 = gate }
  }

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let gate = gate.withLock({ $0 }) else {
      return HTTPResponse(statusCode: .serviceUnavailable)
    }
    do {
      let route = try gate.route(InspectorRequest(request))
      if route == .events { return HTTPResponse(LiveBody(events: LiveEvents(subject: subject))) }
      return HTTPResponse(try await answer(to: route, request), to: request)
    } catch let refusal as RequestRefusal {
      return HTTPResponse(.refusal(refusal), to: request)
    } catch let refusal as ActionRefusal {
      return HTTPResponse(.error(refusal.text, status: refusal.status), to: request)
    }
  }

  private func answer(
    to route: InspectorRoute,
    _ request: HTTPRequest
  ) async throws -> InspectorAnswer {
    switch route {
    case .file(let name): return files[name] ?? .refusal(.unknownPath)
    case .events: return .refusal(.unknownPath)
    case .detail(let key):
      return subject.detail(ofKey: key).map { .json($0) }
        ?? .error("There is no entry of this key any more.", status: 404)
    case .record:
      guard let record = subject.record else { return .error("The client has ended.", status: 410) }
      var answer = InspectorAnswer.json(try InspectorJSON.encoder.encode(record))
      let name = "streamquery-record-\(Date().ISO8601Format().filter { $0 != ":" }).json"
      answer.headers["Content-Disposition"] = "attachment; filename=\"\(name)\""
      return answer
    case .action:
      let body = try await body(of: request)
      return .done(try subject.perform(InspectorAction(body: body), body))
    }
  }

  /// Reads the body of a request, but throws if the body is larger than ``RequestGate/bodyLimit``.
  private func body(of request: HTTPRequest) async throws -> Data {
    var body = Data()
    for try await chunk in request.bodySequence {
      body += chunk
      if body.count > RequestGate.bodyLimit { throw RequestRefusal.bodyTooLarge }
    }
    return body
  }
}

extension InspectorRequest {
  init(_ request: HTTPRequest) {
    self.init(method: request.method.rawValue, path: request.path)
    for item in request.query where query[item.name] == nil { query[item.name] = item.value }
    for name in Self.readHeaders { headers[name] = request.headers[HTTPHeader(name)] }
    bodyLength = request.bodySequence.count
  }
}

extension HTTPResponse {
  /// Creates the response.
  ///
  /// After a request with too large a body, or with a body of unknown length, the connection ends.
  init(_ answer: InspectorAnswer, to request: HTTPRequest) {
    let isLast = request.bodySequence.count.map { $0 > RequestGate.bodyLimit } ?? true
    var headers = answer.headers
    if isLast { headers["Connection"] = "close" }
    self.init(
      statusCode: HTTPStatusCode(answer.status, phrase: ""),
      headers: HTTPHeaders(named: headers),
      body: isLast
        ? HTTPBodySequence(from: LastBody(bytes: answer.body), count: answer.body.count)
        : HTTPBodySequence(data: answer.body)
    )
  }

  init(_ events: LiveBody) {
    var headers = InspectorAnswer.safety
    headers["Content-Type"] = "text/event-stream; charset=utf-8"
    self.init(
      statusCode: .ok,
      headers: HTTPHeaders(named: headers),
      body: HTTPBodySequence(from: events)
    )
  }
}

extension HTTPHeaders {
  fileprivate init(named headers: [String: String]) {
    self.init()
    for (name, value) in headers { setValues([value], for: HTTPHeader(name)) }
  }
}
