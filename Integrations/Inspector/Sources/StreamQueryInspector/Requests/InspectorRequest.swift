/// The parts of an HTTP request on which the answer depends.
struct InspectorRequest: Equatable, Sendable {
  var method: String
  /// The path, decoded and without the query.
  var path: String
  /// The first value of each query item.
  var query: [String: String] = [:]
  /// The values of the headers in ``readHeaders``, by their names in lower case.
  var headers: [String: String] = [:]
  /// The length of the body according to the request; `nil` if the request does not tell a length.
  var bodyLength: Int?

  /// The names of the headers that the inspector reads.
  static let readHeaders = ["host", "origin", tokenHeader]
  /// The header with the token.
  static let tokenHeader = "x-streamquery-token"
}

/// The resource of the server that a request asks for.
enum InspectorRoute: Equatable, Sendable {
  /// A file of the page, by its path in the folder.
  case file(String)
  /// The stream of live events.
  case events
  /// The facts about the key with this number in the record.
  case detail(key: Int)
  /// The whole record, which the browser saves as a file.
  case record
  /// An action, which the body describes.
  case action
}
