internal import StreamQueryShared

/// The reason why the server refused a command, as far as it matters to the sender.
enum RedisRefusal: Equatable {
  /// The server does not know the script, and ran nothing.
  case unknownScript
  /// The server cannot serve now.
  case unavailable
  /// The server cannot serve on this connection any more: it has become a replica, or the command came
  /// too late by the server's clock.
  case wrongServer
  /// The server does not understand the command, or the script failed.
  case other

  /// Reads a refusal.
  ///
  /// - Parameter text: The text of the refusal, which begins with its code.
  init(_ text: String) {
    // Since version 7, a script reports a refused call with the call's own code. Earlier versions have
    // the code inside of the text.
    let words = text.prefix(512).split(whereSeparator: { !($0.isLetter || $0.isNumber) })
    let codes = words.filter { $0.allSatisfy { $0.isUppercase || $0.isNumber } }
    self = codes.lazy.compactMap { Self.meanings[String($0)] }.first ?? .other
  }

  private static let meanings: [String: RedisRefusal] = [
    "NOSCRIPT": .unknownScript,
    "LOADING": .unavailable,
    "BUSY": .unavailable,
    "OOM": .unavailable,
    "NOREPLICAS": .unavailable,
    "MISCONF": .unavailable,
    "CLUSTERDOWN": .unavailable,
    "TRYAGAIN": .unavailable,
    "MOVED": .unavailable,
    "ASK": .unavailable,
    "NOAUTH": .unavailable,
    "WRONGPASS": .unavailable,
    "NOPERM": .unavailable,
    "UNKILLABLE": .unavailable,
    "READONLY": .wrongServer,
    "LATE": .wrongServer,
    "MASTERDOWN": .wrongServer,
  ]
}
