import Foundation

/// What the app asks of its server.
protocol API: Sendable {
  func feed(page: Int) async throws -> FeedPage
  func search(_ text: String) async throws -> [User]
  func user(_ id: User.ID) async throws -> User
  func rename(_ id: User.ID, to name: String) async throws -> User
}

/// An answer that is not a success.
struct APIError: LocalizedError, Hashable {
  var status: Int
  var reason: String

  var errorDescription: String? { reason }
}
