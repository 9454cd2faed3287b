extension RedisEndpoint {
  /// The reason why a text is no endpoint.
  public enum URLError: Error, Hashable, Sendable {
    /// The text begins neither with `redis://` nor with `redis+unix://` or `unix://`.
    case unknownScheme(String)
    /// The text begins with `rediss://`, and this client has no TLS: use a tunnel or a private network.
    case needsTLS
    /// There is no host, and no path of a socket.
    case noAddress
    /// The port is no number from 1 to 65535.
    case badPort(String)
    /// The database is no number.
    case badDatabase(String)
    /// A percent sign is not followed by two hexadecimal digits, or the escaped bytes are not UTF-8.
    case badEscape(String)
  }

  /// Reads `redis://user:password@host:port/database`, or `redis+unix://user:password@/path?db=0`.
  ///
  /// All parts except for the host or the path may be missing. The database of a host may also be in the
  /// query, as `?db=0`, which counts more than the path. Special characters of user, password and path are
  /// written as in any URL, `%40` for `@`.
  ///
  /// - Parameter url: The text.
  /// - Throws: The reason why the text is no endpoint.
  public init(url: String) throws(URLError) {
    guard let colon = url.firstRange(of: "://") else { throw .unknownScheme(url) }
    let scheme = url[..<colon.lowerBound].lowercased()
    let rest = url[colon.upperBound...]
    switch scheme {
    case "redis": try self.init(host: rest)
    case "unix", "redis+unix", "redis+socket": try self.init(socket: rest)
    case "rediss": throw .needsTLS
    default: throw .unknownScheme(scheme)
    }
  }

  private init(host rest: Substring) throws(URLError) {
    let plain = rest.prefix { $0 != "?" && $0 != "#" }
    let slash = plain.firstIndex(of: "/") ?? plain.endIndex
    let (login, place) = try Self.login(plain[..<slash])
    let digits = plain[slash...].dropFirst()
    guard digits.isEmpty || digits.allSatisfy(\.isASCII), let number = Self.database(digits)
    else {
      throw .badDatabase(String(digits))
    }
    let query = rest[plain.endIndex...].prefix { $0 != "#" }
    let database = try Self.database(inQuery: query) ?? number
    let (host, port) = try Self.place(place)
    self.init(
      .host(host, port: port),
      user: login.user,
      password: login.password,
      database: database
    )
  }

  private init(socket rest: Substring) throws(URLError) {
    let question = rest.firstIndex(of: "?") ?? rest.endIndex
    let slash = rest[..<question].firstIndex(of: "/") ?? question
    let (login, _) = try Self.login(rest[..<slash])
    let path = try Self.unescaped(rest[slash..<question])
    guard path.count > 1 else { throw .noAddress }
    let database = try Self.database(inQuery: rest[question...]) ?? 0
    self.init(
      .socket(path: path),
      user: login.user,
      password: login.password,
      database: database
    )
  }

  private static func login(
    _ text: Substring
  ) throws(URLError) -> (login: (user: String?, password: String?), place: Substring) {
    guard let at = text.lastIndex(of: "@") else { return ((nil, nil), text) }
    let names = text[..<at]
    let place = text[at...].dropFirst()
    guard let colon = names.firstIndex(of: ":") else {
      // Without a colon there is no password.
      return ((try unescaped(names), nil), place)
    }
    let user = try unescaped(names[..<colon])
    let password = try unescaped(names[colon...].dropFirst())
    return ((user.isEmpty ? nil : user, password.isEmpty ? nil : password), place)
  }

  private static func place(_ text: Substring) throws(URLError) -> (host: String, port: Int) {
    var host = text
    var port: Substring?
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { throw .noAddress }
      host = text[..<end].dropFirst()
      let tail = text[end...].dropFirst()
      if !tail.isEmpty {
        guard tail.first == ":" else { throw .noAddress }
        port = tail.dropFirst()
      }
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
      port = text[colon...].dropFirst()
    }
    guard !host.isEmpty else { throw .noAddress }
    guard let port else { return (try unescaped(host), 6379) }
    guard let number = UInt16(port), number > 0 else { throw .badPort(String(port)) }
    return (try unescaped(host), Int(number))
  }

  /// The database that a query such as `?db=0` names; `nil` if it names none.
  private static func database(inQuery query: Substring) throws(URLError) -> Int? {
    var database: Int?
    for item in query.dropFirst().split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == "db" || parts[0] == "database" else { continue }
      guard let number = Self.database(parts[1]) else { throw .badDatabase(String(parts[1])) }
      database = number
    }
    return database
  }

  private static func database(_ text: Substring) -> Int? {
    if text.isEmpty { return 0 }
    return UInt16(text).map { Int($0) }
  }

  private static func unescaped(_ text: Substring) throws(URLError) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, !digits.contains(UInt8(ascii: "+")),
        let value = UInt8(String(Substring(digits)), radix: 16)
      else { throw .badEscape(String(text)) }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    // C code would take a zero byte for the end of the text.
    guard let result = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw .badEscape(String(text))
    }
    return result
  }
}
