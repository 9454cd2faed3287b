import Foundation
import Synchronization

/// The demo server inside of this process, with the delays of the real server on any clock, and with
/// the same JSON.
///
/// An app that talks to a real server has a type like this for its tests only.
final class LocalServer: API {
  private let clock: any Clock<Duration>
  private let note: @Sendable (String) -> Void
  private let state = Mutex((api: DemoAPI(), isDown: false))

  /// - Parameters:
  ///   - clock: The clock of the delays.
  ///   - note: Gets a line about each request.
  init(
    clock: any Clock<Duration> = ContinuousClock(),
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.clock = clock
    self.note = note
  }

  /// Whether each request fails, as with a server that is being updated.
  var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }

  func feed(page: Int) async throws -> FeedPage {
    try await answer(DemoAPI.Request(path: "/feed", query: ["page": String(page)]))
  }

  func search(_ text: String) async throws -> [User] {
    try await answer(DemoAPI.Request(path: "/search", query: ["text": text]))
  }

  func user(_ id: User.ID) async throws -> User {
    try await answer(DemoAPI.Request(path: "/users/\(id)"))
  }

  func rename(_ id: User.ID, to name: String) async throws -> User {
    let body = try JSONEncoder().encode(Draft(text: name))
    return try await answer(DemoAPI.Request(method: "PATCH", path: "/users/\(id)", body: body))
  }

  private func answer<Value: Decodable>(_ request: DemoAPI.Request) async throws -> Value {
    let input = request.query.map { " \($0)=\($1)" }.joined()
    note("\(request.method) \(request.path)\(input)")
    let reply = state.withLock {
      $0.isDown
        ? DemoAPI.Reply(status: 503, body: Problem(reason: "the server is being updated"))
        : $0.api.answer(request)
    }
    try await clock.sleep(for: reply.delay)
    let data = try JSONEncoder().encode(reply.body)
    guard (200..<300).contains(reply.status) else {
      let problem = try JSONDecoder().decode(Problem.self, from: data)
      throw APIError(status: reply.status, reason: problem.reason)
    }
    return try JSONDecoder().decode(Value.self, from: data)
  }
}
