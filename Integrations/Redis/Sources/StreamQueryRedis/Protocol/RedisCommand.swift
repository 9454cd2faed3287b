/// A command: its name and its arguments.
package struct RedisCommand: Hashable, Sendable {
  /// The name and the arguments.
  package var arguments: [[UInt8]]
  /// The arguments that the connection adds.
  var stamp: Stamp

  /// The arguments that a connection adds to a command that it sends.
  enum Stamp: Hashable, Sendable {
    /// Nothing.
    case none
    /// The number of the connection.
    case connection
    /// The number of the connection, and the deadline of the reply.
    case deadline
  }

  /// Creates a command.
  ///
  /// - Parameter arguments: The name and the arguments.
  package init(_ arguments: [[UInt8]]) { self.init(arguments, stamp: .none) }

  /// Creates a command, and says which arguments the connection adds.
  init(_ arguments: [[UInt8]], stamp: Stamp) {
    self.arguments = arguments
    self.stamp = stamp
  }

  /// Creates a command from texts.
  ///
  /// - Parameter arguments: The name and the arguments.
  package init(_ arguments: String...) { self.init(arguments.map { Array($0.utf8) }) }

  /// The approximate number of bytes that the command takes on the wire.
  package var size: Int { arguments.reduce(64) { $0 + $1.count + 16 } }
}
