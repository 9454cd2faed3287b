/// Decides which requests are answered.
///
/// The server listens on the loopback address only, but every page in every browser of this machine can send
/// requests there. So a request needs
///
/// - a `Host` that names the loopback address and this port. A foreign site that points its own name to this
///   address (DNS rebinding) sends another `Host`;
/// - no `Origin`, or the origin of the inspector's page;
/// - the token of the link, except for the files of the page, which say nothing about the client. An action
///   needs the token in a header, which no form of a foreign page can set.
struct RequestGate: Sendable {
  /// The maximum size of an action's body, in bytes.
  static let bodyLimit = 1 << 20

  private let hosts: Set<String>
  private let token: [UInt8]
  private let files: Set<String>
  private let allowsActions: Bool

  /// Creates a gate.
  ///
  /// - Parameters:
  ///   - port: The port of the server.
  ///   - token: The token of the link.
  ///   - files: The paths of the page's files in their folder.
  ///   - allowsActions: Whether actions are performed.
  init(port: UInt16, token: String, files: Set<String>, allowsActions: Bool) {
    let names = ["127.0.0.1", "localhost", "[::1]"]
    // Browsers omit port 80, because it is the default port of `http`.
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    self.token = Array(token.utf8)
    self.files = files
    self.allowsActions = allowsActions
  }

  /// Finds the route of a request, or refuses the request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The route.
  /// - Throws: The reason why the request is refused.
  func route(_ request: InspectorRequest) throws(RequestRefusal) -> InspectorRoute {
    guard let host = request.headers["host"], hosts.contains(host.lowercased()) else {
      throw .foreignHost
    }
    if let origin = request.headers["origin"], !isOwn(origin) { throw .foreignOrigin }
    let (route, method) = try place(of: request)
    guard request.method == method else { throw .method(allowed: method) }
    if case .file = route { return route }
    guard isKnown(sentToken(of: request)) else { throw .token }
    if route == .action {
      guard allowsActions else { throw .actionsOff }
      guard request.bodyLength ?? 0 <= Self.bodyLimit else { throw .bodyTooLarge }
    }
    return route
  }

  private func isOwn(_ origin: String) -> Bool {
    let scheme = "http://"
    return origin.hasPrefix(scheme) && hosts.contains(origin.dropFirst(scheme.count).lowercased())
  }

  private func place(
    of request: InspectorRequest
  ) throws(RequestRefusal) -> (route: InspectorRoute, method: String) {
    switch request.path {
    case "/events": return (.events, "GET")
    case "/record": return (.record, "GET")
    case "/do": return (.action, "POST")
    case "/detail":
      guard let key = request.query["key"].flatMap({ Int($0) }) else { throw .noKey }
      return (.detail(key: key), "GET")
    case let path:
      // The name is looked up in a table and is never a path on a disk, so no request can leave the
      // folder.
      let name = path == "/" ? "index.html" : String(path.dropFirst())
      guard path.hasPrefix("/"), files.contains(name) else { throw .unknownPath }
      return (.file(name), "GET")
    }
  }

  private func sentToken(of request: InspectorRequest) -> String? {
    if let token = request.headers[InspectorRequest.tokenHeader] { return token }
    return request.method == "GET" ? request.query["token"] : nil
  }

  /// Checks the token of a request, in a time that does not tell how many of its bytes are right.
  private func isKnown(_ sent: String?) -> Bool {
    guard let sent else { return false }
    let bytes = Array(sent.utf8)
    var difference = bytes.count ^ token.count
    for (index, byte) in token.enumerated() {
      difference |= Int(byte ^ (index < bytes.count ? bytes[index] : ~byte))
    }
    return difference == 0
  }
}

/// The reason why a request is refused.
enum RequestRefusal: Error, Equatable, Sendable {
  /// The `Host` is not this server.
  case foreignHost
  /// The `Origin` is another page.
  case foreignOrigin
  /// The token is missing or wrong.
  case token
  /// There is nothing at this path.
  case unknownPath
  /// The path allows only another HTTP method.
  case method(allowed: String)
  /// The query item `key` is missing, or is no number.
  case noKey
  /// Actions are not allowed.
  case actionsOff
  /// The body is too large.
  case bodyTooLarge

  /// The HTTP status of the answer.
  var status: Int {
    switch self {
    case .foreignHost: 421
    case .foreignOrigin, .actionsOff: 403
    case .token: 401
    case .unknownPath: 404
    case .method: 405
    case .noKey: 400
    case .bodyTooLarge: 413
    }
  }

  /// The sentence that the page shows.
  var text: String {
    switch self {
    case .foreignHost:
      "This address is not the inspector's: open the link that the app has printed."
    case .foreignOrigin: "Another page may not talk to the inspector."
    case .token: "The token is missing or wrong: open the link that the app has printed."
    case .unknownPath: "There is nothing here."
    case .method(let allowed): "This takes \(allowed) only."
    case .noKey: "The number of a key is missing."
    case .actionsOff: "The app allows no actions."
    case .bodyTooLarge: "The request is larger than \(RequestGate.bodyLimit) bytes."
    }
  }
}
