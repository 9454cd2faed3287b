internal import StreamQueryShared

/// The names of a namespace's keys on the server.
///
/// All names have the namespace in braces, so that a cluster puts the keys into one slot. They also have
/// the number of the format, so that another version of this package never reads the keys.
struct RedisKeys: Hashable, Sendable {
  private let prefix: String

  /// Names the keys of a namespace.
  ///
  /// - Parameter namespace: Any text; different namespaces have different keys.
  init(_ namespace: String) {
    // Some characters are escaped, so that the name of a namespace and the beginning of a key never
    // look like another namespace.
    var escaped = ""
    for character in namespace.unicodeScalars {
      switch character {
      case "%": escaped += "%25"
      case "{": escaped += "%7B"
      case "}": escaped += "%7D"
      default: escaped.unicodeScalars.append(character)
      }
    }
    // The braces must not be empty, because a cluster ignores empty ones.
    prefix = "{\(escaped.isEmpty ? "%" : escaped)}:sq1:"
  }

  /// The beginnings of the names of entries and leases.
  var beginnings: [[UInt8]] { [Array("\(prefix)e:".utf8), Array("\(prefix)l:".utf8)] }

  /// The pattern with which `SCAN` finds all keys of the namespace, entries and leases among them.
  var pattern: [UInt8] {
    var result: [UInt8] = []
    for byte in prefix.utf8 {
      if #"\*?[]^-"#.utf8.contains(byte) { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    return result + Array("*".utf8)
  }

  /// The name of the stream that contains the log.
  var log: [UInt8] { Array("\(prefix)log".utf8) }

  /// The names of the keys that every script uses.
  var common: [[UInt8]] { [Array("\(prefix)state".utf8), log, Array("\(prefix)marks".utf8)] }

  /// The key with the number of a store object's newest connection; scripts refuse commands of earlier
  /// ones.
  ///
  /// - Parameter name: The name of the store object.
  /// - Returns: The name of the key.
  func connection(of name: String) -> [UInt8] { Array("\(prefix)c:\(name)".utf8) }

  /// The keys on the server that a script uses for one key of the cache.
  ///
  /// - Parameter key: The key.
  /// - Returns: The names, in the order of ``RedisScript/prelude``.
  func all(for key: SharedKey) -> [[UInt8]] {
    common + [Array("\(prefix)e:\(key.text)".utf8), Array("\(prefix)l:\(key.text)".utf8)]
  }
}
