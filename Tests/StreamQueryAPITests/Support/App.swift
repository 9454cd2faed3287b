import Foundation
import StreamQuery

// A small app, as the documentation's samples know it: its types, its server, its queries.

nonisolated struct User: Codable, Hashable, Identifiable, Sendable {
  var id: Int
  var name: String
  var email = ""

  static let ada = User(id: 1, name: "Ada", email: "ada@example.com")
}

nonisolated struct Product: Codable, Hashable, Identifiable, Sendable {
  var id: Int
}

nonisolated struct Repo: Codable, Hashable, Identifiable, Sendable {
  var id: Int
  var name: String
}

nonisolated struct Project: Codable, Hashable, Identifiable, Sendable {
  var id: Int
}

nonisolated struct Profile: Codable, Hashable, Sendable {
  var name: String
}

nonisolated enum Category: String, Codable, Sendable {
  case electronics, books
}

nonisolated enum Route: Hashable, Sendable {
  case home, detail(Int)
}

nonisolated struct Team: Hashable, Identifiable, Sendable {
  var id: Int
}

struct AuthError: Error {}
struct Offline: Error {}

/// The app's server, which answers at once.
nonisolated struct API: Sendable {
  static let live = API()

  func users() async throws -> [User] { [.ada] }
  func users(ifNoneMatch etag: String?) async throws -> (users: [User]?, etag: String) {
    (etag == "v1" ? nil : [.ada], "v1")
  }
  func news(after last: String?) async throws -> [String] { last == nil ? ["first"] : [] }
  func user(_ id: User.ID) async throws -> User { User(id: id, name: "Ada") }
  func user(_ id: User.ID, isRetry: Bool) async throws -> User { try await user(id) }
  func user(email: String) async throws -> User { User(id: 7, name: "Ada", email: email) }
  func repos(of id: User.ID) async throws -> [Repo] { [Repo(id: id, name: "engine")] }
  func products(in category: Category, page: Int) async throws -> [Product] { [Product(id: page)] }
  func products(_ search: ProductSearch) async throws -> [Product] { [Product(id: search.page)] }
  func projects(of id: User.ID) async throws -> [Project] { [Project(id: id)] }
  func pay(_ amount: Int, headers: [String: String]) async throws {}
  func rename(_ id: User.ID, to name: String) async throws -> User { User(id: id, name: name) }

  func load(_ completion: @escaping @Sendable (Result<Profile, any Error>) -> Void) {
    completion(.success(Profile(name: "Ada")))
  }

  func loadTyped(_ completion: @escaping @Sendable (Result<Profile, AuthError>) -> Void) {
    completion(.failure(AuthError()))
  }

  func loadTwo(_ completion: @escaping @Sendable (Profile?, (any Error)?) -> Void) {
    completion(Profile(name: "Ada"), nil)
  }

  @discardableResult
  func loadWithHandle(
    _ completion: @escaping @Sendable (Result<Profile, any Error>) -> Void
  ) -> Int {
    load(completion)
    return 1
  }

  func cancel(_ handle: Int) {}
}

nonisolated enum GitHub {
  static func search(_ text: String, _ page: Int) async throws -> [Repo] {
    [Repo(id: page, name: text)]
  }
}

nonisolated let api = API.live
