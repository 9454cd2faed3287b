/// A script that the server runs as one step.
struct RedisScript: Hashable, Sendable {
  /// The text of the script.
  let source: String
  /// The name under which the server knows the script after it has run the script once.
  let digest: String

  /// The arguments that the connection adds.
  private let stamp: RedisCommand.Stamp

  /// Creates a script.
  ///
  /// - Parameter body: The code after the functions of ``prelude``.
  init(_ body: String) { self.init(source: Self.prelude + body, .none) }

  /// Creates a script that changes something.
  ///
  /// - Parameter body: The code after ``prelude`` and ``guardian``.
  init(changing body: String) {
    self.init(source: Self.prelude + Self.guardian + body, .deadline)
  }

  private init(source: String, _ stamp: RedisCommand.Stamp) {
    self.source = source
    self.stamp = stamp
    digest = SHA1.hexadecimal(of: Array(source.utf8))
  }

  /// The command that runs the script by its name.
  ///
  /// - Parameters:
  ///   - keys: The keys that the script uses.
  ///   - arguments: The arguments of the script.
  /// - Returns: The command.
  func byName(_ keys: [[UInt8]], _ arguments: [[UInt8]]) -> RedisCommand {
    command("EVALSHA", digest, keys, arguments)
  }

  /// The command that runs the script by its text.
  ///
  /// - Parameters:
  ///   - keys: The keys that the script uses.
  ///   - arguments: The arguments of the script.
  /// - Returns: The command.
  func byText(_ keys: [[UInt8]], _ arguments: [[UInt8]]) -> RedisCommand {
    command("EVAL", source, keys, arguments)
  }

  private func command(
    _ name: String,
    _ script: String,
    _ keys: [[UInt8]],
    _ arguments: [[UInt8]]
  ) -> RedisCommand {
    let head = [name, script, String(keys.count)].map { Array($0.utf8) }
    return RedisCommand(head + keys + arguments, stamp: stamp)
  }
}
