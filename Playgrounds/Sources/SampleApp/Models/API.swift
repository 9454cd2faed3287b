import Foundation

/// The requests that the app sends to its server.
protocol API: Sendable {
  func feed(page: Int) async throws -> FeedPage
  func search(_ text: String) async throws -> [User]
  func user(_ id: User.ID) async throws -> User
  func rename(_ id: User.ID, to name: String) async throws -> User
}

/// An error that the server answers with.
struct APIError: LocalizedError, Hashable {
  var status: Int
  var reason: String

  var errorDescription: String? { reason }
}
