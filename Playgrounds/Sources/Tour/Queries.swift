import StreamQuery

// The queries of the app: each has a key and a fetch, and is written once.

extension Query where Value == [User] {
  static func users(from api: API) -> Self {
    Query("users") { try await api.users() }
  }
}

extension Query where Value == User {
  static func user(_ id: User.ID, from api: API) -> Self {
    Query("users", id) { try await api.user(id) }
  }
}

extension Query where Value == [Todo] {
  static func todos(from api: API) -> Self {
    Query("todos") { try await api.todos() }
  }
}

extension Query where Value == Price {
  static func price(from api: API) -> Self {
    Query("price") { try await api.price() }
  }
}

extension Query where Value == String {
  static func flaky(from api: API) -> Self {
    Query("flaky") { try await api.flaky() }
  }
}

extension Query where Value == FeedPage {
  static func feed(page: Int, from api: API) -> Self {
    Query("feed", page) { try await api.feed(page: page) }
  }
}
