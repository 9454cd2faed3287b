/// The address of a server, with a user and a database.
public struct RedisEndpoint: Hashable, Sendable {
  /// The address of a server.
  public enum Address: Hashable, Sendable {
    /// A server that is reached by TCP.
    case host(String, port: Int)
    /// A server on this machine, by the path of its socket.
    case socket(path: String)
  }

  /// The address of the server.
  public var address: Address
  /// The user; `nil` is the server's default user.
  public var user: String?
  /// The password; `nil` does not authenticate.
  public var password: String?
  /// The number of the database.
  public var database: Int

  /// Creates an endpoint.
  ///
  /// - Parameters:
  ///   - address: The address of the server.
  ///   - user: The user.
  ///   - password: The password.
  ///   - database: The number of the database.
  public init(
    _ address: Address,
    user: String? = nil,
    password: String? = nil,
    database: Int = 0
  ) {
    self.address = address
    self.user = user
    self.password = password
    self.database = database
  }

  /// The first commands of a connection.
  package var introduction: [RedisCommand] {
    var commands: [RedisCommand] = []
    if let password {
      commands.append(user.map { .init("AUTH", $0, password) } ?? .init("AUTH", password))
    }
    if database != 0 { commands.append(.init("SELECT", String(database))) }
    return commands
  }
}

extension RedisEndpoint: CustomStringConvertible {
  /// The endpoint without the password.
  public var description: String {
    let name = user.map { "\($0)@" } ?? ""
    switch address {
    case .host(let host, let port):
      return "redis://\(name)\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
    case .socket(let path):
      return "redis+unix://\(name)\(path)?db=\(database)"
    }
  }
}

extension RedisEndpoint: CustomDebugStringConvertible, CustomReflectable {
  /// The endpoint without the password.
  public var debugDescription: String { description }

  /// A mirror with the description only, so that no dump of the endpoint shows the password.
  public var customMirror: Mirror { Mirror(self, children: [(label: "url", value: description)]) }
}
