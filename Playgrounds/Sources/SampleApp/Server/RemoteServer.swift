import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The app's server, over HTTP.
struct RemoteServer: API {
  /// The address of the server.
  var url: URL

  func feed(page: Int) async throws -> FeedPage {
    try await answer(to: request("feed", ["page": String(page)]))
  }

  func search(_ text: String) async throws -> [User] {
    try await answer(to: request("search", ["text": text]))
  }

  func user(_ id: User.ID) async throws -> User {
    try await answer(to: request("users/\(id)"))
  }

  func rename(_ id: User.ID, to name: String) async throws -> User {
    var request = request("users/\(id)")
    request.httpMethod = "PATCH"
    request.httpBody = try JSONEncoder().encode(Draft(text: name))
    return try await answer(to: request)
  }

  private func request(_ path: String, _ query: [String: String] = [:]) -> URLRequest {
    var url = url.appending(path: path)
    if !query.isEmpty {
      url.append(queryItems: query.map { URLQueryItem(name: $0.key, value: $0.value) })
    }
    // A second cache below the client would answer refetches with old data.
    return URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 10)
  }

  private func answer<Value: Decodable>(to request: URLRequest) async throws -> Value {
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      let problem = try? JSONDecoder().decode(Problem.self, from: data)
      throw APIError(status: status, reason: problem?.reason ?? "The server answered \(status)")
    }
    return try JSONDecoder().decode(Value.self, from: data)
  }
}
