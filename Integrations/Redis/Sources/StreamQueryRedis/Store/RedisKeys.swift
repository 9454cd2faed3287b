internal import StreamQueryShared

/// The names of a namespace's keys on the server.
///
/// All have the namespace in braces, so that a cluster keeps them in one slot, and a number of the
/// form, so that another version of this package never reads them.
struct RedisKeys: Hashable, Sendable {
  private let prefix: String

  /// Names the keys of a namespace.
  ///
  /// - Parameter namespace: Any text. Different ones have different keys.
  init(_ namespace: String) {
    // No namespace may look like another with the beginning of a key.
    var escaped = ""
    for character in namespace.unicodeScalars {
      switch character {
      case "%": escaped += "%25"
      case "{": escaped += "%7B"
      case "}": escaped += "%7D"
      default: escaped.unicodeScalars.append(character)
      }
    }
    // Empty braces would not count for a cluster.
    prefix = "{\(escaped.isEmpty ? "%" : escaped)}:sq1:"
  }

  /// How the names of entries begin, and those of leases.
  var beginnings: [[UInt8]] { [Array("\(prefix)e:".utf8), Array("\(prefix)l:".utf8)] }

  /// What `SCAN` finds them by, and a few others.
  var pattern: [UInt8] {
    var result: [UInt8] = []
    for byte in prefix.utf8 {
      if #"\*?[]^-"#.utf8.contains(byte) { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    return result + Array("*".utf8)
  }

  /// The stream.
  var log: [UInt8] { Array("\(prefix)log".utf8) }

  /// What each script uses.
  var common: [[UInt8]] { [Array("\(prefix)state".utf8), log, Array("\(prefix)marks".utf8)] }

  /// What guards against what earlier connections sent.
  ///
  /// - Parameter name: The name of a store object.
  /// - Returns: The name of its key.
  func connection(of name: String) -> [UInt8] { Array("\(prefix)c:\(name)".utf8) }

  /// What a script uses for a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The names, in the order of ``RedisScript/prelude``.
  func all(for key: SharedKey) -> [[UInt8]] {
    common + [Array("\(prefix)e:\(key.text)".utf8), Array("\(prefix)l:\(key.text)".utf8)]
  }
}
