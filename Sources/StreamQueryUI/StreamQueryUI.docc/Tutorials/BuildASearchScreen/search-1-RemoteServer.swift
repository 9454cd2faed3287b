import Foundation

nonisolated struct RemoteServer: API {
  var host: String

  func search(_ text: String) async throws -> [User] {
    var address = URLComponents()
    address.scheme = "https"
    address.host = host
    address.path = "/search"
    address.queryItems = [
      URLQueryItem(name: "text", value: text)
    ]
    guard let url = address.url else { throw URLError(.badURL) }

    let (data, response) = try await URLSession.shared
      .data(from: url)
    let status = (response as? HTTPURLResponse)?.statusCode
    guard status == 200 else {
      throw URLError(.badServerResponse)
    }
    return try JSONDecoder().decode([User].self, from: data)
  }
}
