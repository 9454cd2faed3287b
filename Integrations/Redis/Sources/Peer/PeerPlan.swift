/// The plan of a peer, with an argument `name=value` for each property.
struct PeerPlan: Sendable {
  /// The ports of the store and of the upstream.
  var store = 0
  var upstream = 0
  /// The number of this process, and the number of processes.
  var number = 0
  var peers = 4
  /// The number of requests, and the number of keys.
  var requests = 10_000
  var keys = 50
  /// The number of requests after which a change follows; `0` makes no changes.
  var changes = 0
  /// Whether changes are also reported by tag, by prefix and by write.
  var isMixed = false
  /// The milliseconds between two requests of a worker.
  var pause = 0
  /// The stale time in milliseconds.
  var stale = 600_000
  /// Whether the first request waits until the log was read once.
  var waits = true
  /// The duration of a lease in milliseconds.
  var lease = 18_000
  /// The beginning of the keys.
  var prefix = "k"
  /// The path of the file to which the peer writes its record: the values that it saw, and its events.
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

  /// The first name of a key in a text, such as the text of a mark; `nil` if there is none.
  func name(in text: String) -> String? {
    let words = text.split { !$0.isLetter && !$0.isNumber }
    return words.first { $0.hasPrefix(prefix) && Int($0.dropFirst(prefix.count)) != nil }
      .map { String($0) }
  }

  /// Whether a change follows the request with this number.
  func isFollowedByChange(_ request: Int) -> Bool {
    // If `changes` is 1, each remainder is 0, and so is `1 % changes`: a change follows each request.
    changes > 0 && request % changes == 1 % changes
  }

  /// The way in which this process reports a change of a key; `nil` if it must not change the key.
  ///
  /// Each key has one way, and only one process writes a key, so that no value is written after a
  /// newer one.
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

/// The way in which others hear of a change.
enum ChangeWay: Sendable { case query, tag, prefix, write }
