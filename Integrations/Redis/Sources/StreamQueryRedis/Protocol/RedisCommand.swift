/// A command: its name and its arguments.
package struct RedisCommand: Hashable, Sendable {
  /// The name and the arguments.
  package var arguments: [[UInt8]]

  /// Creates a command.
  ///
  /// - Parameter arguments: The name and the arguments.
  package init(_ arguments: [[UInt8]]) { self.arguments = arguments }

  /// Creates a command of texts.
  ///
  /// - Parameter arguments: The name and the arguments.
  package init(_ arguments: String...) { self.arguments = arguments.map { Array($0.utf8) } }

  /// About how many bytes it takes on the wire.
  package var size: Int { arguments.reduce(16) { $0 + $1.count + 16 } }
}
