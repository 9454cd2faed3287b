import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The client side of the demo server, over `URLSession`, as an application would have it.
struct API: Sendable {
  /// An answer with a status that is no success.
  struct Failure: Error, Hashable {
    var status: Int
    var reason: String
  }

  var url: URL

  func users() async throws -> [User] { try await get("users") }
  func user(_ id: User.ID) async throws -> User { try await get("users/\(id)") }
  func todos() async throws -> [Todo] { try await get("todos") }
  func price() async throws -> Price { try await get("price") }
  func flaky() async throws -> String { try await get("flaky") }
  func feed(page: Int) async throws -> FeedPage { try await get("feed", ["page": String(page)]) }
  func search(_ text: String) async throws -> [User] { try await get("search", ["text": text]) }

  func rename(_ id: User.ID, to name: String) async throws -> User {
    try await send("PATCH", "users/\(id)", Draft(text: name))
  }

  func add(_ title: String) async throws -> Todo {
    try await send("POST", "todos", Draft(text: title))
  }

  private func get<Value: Decodable>(
    _ path: String,
    _ query: [String: String] = [:]
  ) async throws -> Value {
    let items = query.map { URLQueryItem(name: $0.key, value: $0.value) }
    return try await value(of: request(url.appending(path: path).appending(queryItems: items)))
  }

  private func send<Value: Decodable>(
    _ method: String,
    _ path: String,
    _ body: some Encodable
  ) async throws -> Value {
    var request = request(url.appending(path: path))
    request.httpMethod = method
    request.httpBody = try JSONEncoder().encode(body)
    return try await value(of: request)
  }

  private func request(_ url: URL) -> URLRequest {
    // The session's own cache is bypassed, because the tour shows the cache of the query client.
    URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 5)
  }

  private func value<Value: Decodable>(of request: URLRequest) async throws -> Value {
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      let problem = try? JSONDecoder().decode(Problem.self, from: data)
      throw Failure(status: status, reason: problem?.reason ?? "")
    }
    return try JSONDecoder().decode(Value.self, from: data)
  }
}
