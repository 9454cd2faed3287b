import StreamQuery

extension QueryKey where Value == [User] {
  static var users: Self { "users" }
  static func users(in team: Team.ID) -> Self { ["users", "team", team] }
}

extension Query where Value == [User] {
  static var users: Self { Query(key: .users) { try await api.users() } }
}

extension Query where Value == User {
  static func user(_ id: User.ID, api: API = .live) -> Self {
    Query("users", id) { try await api.user(id) }
      .staleTime(.minutes(5)).gcTime(.hours(1)).retry(3)
  }

  static func user(_ email: String) -> Self {
    Query("users", "email", email) { try await api.user(email: email) }
  }
}

extension Query where Value == [Repo] {
  static func repos(_ id: User.ID) -> Self {
    Query("repos", id) { try await api.repos(of: id) }
  }

  static func search(_ text: String) -> Self { Query(Search(text: text)) }
}

extension Query<[Project]> {
  static func projects(of id: User.ID) -> Self {
    Query("projects", id) { try await api.projects(of: id) }
  }
}

struct Search: QueryRequest, Codable {
  var text: String, page = 1

  func fetch(_ context: FetchContext) async throws -> [Repo] {
    try await GitHub.search(text, page)
  }
}

struct ProductSearch: QueryRequest, Codable {
  var category: Category
  var page = 1

  func fetch(_ context: FetchContext) async throws -> [Product] {
    try await api.products(self)
  }
}
