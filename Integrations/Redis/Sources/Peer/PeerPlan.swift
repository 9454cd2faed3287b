/// What a peer does: `name=value` for each argument.
struct PeerPlan: Sendable {
  /// The port of the store, and of the upstream.
  var store = 0
  var upstream = 0
  /// The number of this process, of how many.
  var number = 0
  var peers = 4
  /// How many requests it makes, of how many keys.
  var requests = 10_000
  var keys = 50
  /// How many requests of a worker are between two changes; `0` changes nothing.
  var changes = 0
  /// Whether changes are told by tag, by prefix and by write as well.
  var isMixed = false
  /// The milliseconds between two requests of a worker.
  var pause = 0
  /// For how many milliseconds data is fresh.
  var stale = 600_000
  /// Whether the first request waits until the log was read once.
  var waits = true
  /// How many milliseconds a lease lasts.
  var lease = 18_000
  /// How the keys begin.
  var prefix = "k"
  /// Where it writes what it saw.
  var file = ""

  /// Reads arguments; `nil` if one is unknown.
  init?(_ arguments: some Sequence<String>) {
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let (value, number) = (String(parts[1]), Int(parts[1]) ?? 0)
      switch parts[0] {
      case "store": store = number
      case "upstream": upstream = number
      case "number": self.number = number
      case "peers": peers = number
      case "requests": requests = number
      case "keys": keys = number
      case "changes": changes = number
      case "mixed": isMixed = number > 0
      case "pause": pause = number
      case "stale": stale = number
      case "waits": waits = number > 0
      case "lease": lease = number
      case "prefix": prefix = value
      case "file": file = value
      default: return nil
      }
    }
  }

  /// The name of a key.
  func name(_ key: Int) -> String { "\(prefix)\(key)" }

  /// The name of a key that occurs in a text, such as that of a mark; `nil` if none does.
  func name(in text: String) -> String? {
    let words = text.split { !$0.isLetter && !$0.isNumber }
    return words.first { $0.hasPrefix(prefix) && Int($0.dropFirst(prefix.count)) != nil }
      .map { String($0) }
  }

  /// How a change of a key is told: by one way for each key, and written by one process alone, so
  /// that no value is written after a newer one.
  func way(of key: Int) -> ChangeWay? {
    guard isMixed else { return .query }
    switch key % 4 {
    case 0: return .query
    case 1: return .tag
    case 2: return .prefix
    default: return key / 4 % peers == number ? .write : nil
    }
  }
}

/// How the others are told of a change.
enum ChangeWay: Sendable { case query, tag, prefix, write }
