/// A request as far as the answer depends on it.
struct InspectorRequest: Equatable, Sendable {
  var method: String
  /// The path, decoded and without the query.
  var path: String
  /// The first value of each query item.
  var query: [String: String] = [:]
  /// The headers that are read, by their names in lower case.
  var headers: [String: String] = [:]
  /// The length of the body as the request tells it; `nil` if it tells none.
  var bodyLength: Int?

  /// The headers that are read.
  static let readHeaders = ["host", "origin", tokenHeader]
  /// The header with the token.
  static let tokenHeader = "x-streamquery-token"
}

/// The place in the server that a request is for.
enum InspectorRoute: Equatable, Sendable {
  /// A file of the page, by its path in the folder.
  case file(String)
  /// The stream of what happens.
  case events
  /// The facts about one key, by its number.
  case detail(key: Int)
  /// The whole record, to be saved.
  case record
  /// An action, in the body.
  case action
}
