internal import StreamQuery

/// The codes of the library's own errors, so that they mean the same on all machines.
///
/// `StreamQuery.`, the name of the case, and what it says besides, with colons in between. The key is
/// left out where it is the one that is fetched.
enum OwnFailure {
  private static let beginning = "StreamQuery."
  /// A code that is longer would be cut.
  private static let longest = 100
  /// The longest limit of an error, 100 years: the parts of a duration that is much longer are no numbers of
  /// 64 bits, and asking for them ends the process.
  private static let longestLimit = Duration.seconds(3_155_760_000)

  /// The code of an error.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - fetched: The key that was fetched.
  /// - Returns: The code; `nil` for errors of others, for those that say something of this process
  ///   only, and if it would be too long.
  static func code(of error: any Error, fetching fetched: String) -> String? {
    guard let error = error as? QueryError else { return nil }
    let parts: [String]
    switch error {
    case .timedOut(let key, let limit):
      parts = ["timedOut", "\(limit.attoseconds)"] + own(key, fetched)
    case .mutationTimedOut(let key, let limit):
      parts = ["mutationTimedOut", "\(limit.attoseconds)"] + own(key, fetched)
    case .missingFetch(let key): parts = ["missingFetch"] + own(key, fetched)
    case .recursiveFetch(let key): parts = ["recursiveFetch"] + own(key, fetched)
    case .completionNeverCalled(let key): parts = ["completionNeverCalled"] + own(key, fetched)
    case .completionWithoutResult(let key): parts = ["completionWithoutResult"] + own(key, fetched)
    case .notModifiedWithoutData(let key): parts = ["notModifiedWithoutData"] + own(key, fetched)
    case .missingPerform(let key): parts = ["missingPerform"] + own(key, fetched)
    case .recursiveMutation(let key): parts = ["recursiveMutation"] + own(key, fetched)
    case .missingOutbox(let key): parts = ["missingOutbox"] + own(key, fetched)
    case .unexpectedType, .shutDown: return nil
    }
    let code = beginning + parts.joined(separator: ":")
    return code.count <= longest ? code : nil
  }

  private static func own(_ key: String, _ fetched: String) -> [String] {
    key == fetched ? [] : [key]
  }

  /// The error of a code, which anybody may have written.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - fetched: The key that is fetched.
  /// - Returns: The error; `nil` if it is no code of the library.
  static func error(of code: String, fetching fetched: String) -> QueryError? {
    guard code.hasPrefix(beginning) else { return nil }
    let rest = code.dropFirst(beginning.count)
    let name = rest.prefix { $0 != ":" }
    let said = rest.dropFirst(name.count + 1)
    if name == "timedOut" || name == "mutationTimedOut" {
      let number = said.prefix { $0 != ":" }
      guard let limit = Int128(number).map({ Duration(attoseconds: $0) }),
        limit <= longestLimit, limit >= .zero - longestLimit
      else { return nil }
      let said = said.dropFirst(number.count + 1)
      let key = said.isEmpty ? fetched : String(said)
      return name == "timedOut"
        ? .timedOut(key: key, limit: limit) : .mutationTimedOut(key: key, limit: limit)
    }
    let key = said.isEmpty ? fetched : String(said)
    return switch name {
    case "missingFetch": .missingFetch(key: key)
    case "recursiveFetch": .recursiveFetch(key: key)
    case "completionNeverCalled": .completionNeverCalled(key: key)
    case "completionWithoutResult": .completionWithoutResult(key: key)
    case "notModifiedWithoutData": .notModifiedWithoutData(key: key)
    case "missingPerform": .missingPerform(key: key)
    case "recursiveMutation": .recursiveMutation(key: key)
    case "missingOutbox": .missingOutbox(key: key)
    default: nil
    }
  }
}
