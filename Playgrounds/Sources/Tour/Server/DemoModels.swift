/// A person, whom `PATCH /users/ID` renames.
struct User: Codable, Hashable, Identifiable, Sendable {
  var id: Int
  var name: String
}

/// An entry of the list that `POST /todos` extends.
struct Todo: Codable, Hashable, Identifiable, Sendable {
  var id: Int
  var title: String
}

/// A number that differs at every request.
struct Price: Codable, Hashable, Sendable {
  var revision: Int
  var cents: Int
}

/// A message in the feed.
struct Post: Codable, Hashable, Identifiable, Sendable {
  var id: Int
  var author: User.ID
  var text: String
}

/// One page of a feed in both directions.
struct FeedPage: Codable, Hashable, Sendable {
  var items: [Post]
  var next: Int?
  var previous: Int?
}

/// The body of a request that gives a name or a title.
struct Draft: Codable, Hashable, Sendable {
  var text: String
}

/// The body of an error answer of the server.
struct Problem: Codable, Hashable, Sendable {
  var reason: String
}
