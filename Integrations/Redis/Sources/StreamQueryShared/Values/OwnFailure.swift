internal import StreamQuery

/// The codes of the library's own errors, so that they mean the same on all machines.
///
/// A code is `StreamQuery.` and the name of the case. For a timeout, a colon and the limit follow.
/// Only errors of the fetch itself have codes: the key of another error may contain secrets that
/// `failureText` omits.
enum OwnFailure {
  private static let beginning = "StreamQuery."
  private static let timedOut = "timedOut:"
  /// The longest limit that the code of a timeout may have, 100 years.
  ///
  /// The parts of a much longer duration do not fit into 64 bits, and reading them would end the process.
  private static let longestLimit = Duration.seconds(3_155_760_000 as Int64)

  /// The code of an error.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - fetched: The key that was fetched.
  /// - Returns: The code; `nil` for foreign errors, for errors about other keys, and for errors that concern
  ///   only this process.
  static func code(of error: any Error, fetching fetched: String) -> String? {
    guard let error = error as? QueryError else { return nil }
    let name: String
    switch error {
    case .timedOut(key: fetched, limit: let limit): name = timedOut + "\(limit.attoseconds)"
    case .missingFetch(key: fetched): name = "missingFetch"
    case .recursiveFetch(key: fetched): name = "recursiveFetch"
    case .completionNeverCalled(key: fetched): name = "completionNeverCalled"
    case .completionWithoutResult(key: fetched): name = "completionWithoutResult"
    case .notModifiedWithoutData(key: fetched): name = "notModifiedWithoutData"
    default: return nil
    }
    return beginning + name
  }

  /// The error of a code, which any machine may have written.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - fetched: The key that is fetched.
  /// - Returns: The error; `nil` if the code is not one of the library.
  static func error(of code: String, fetching fetched: String) -> QueryError? {
    guard code.hasPrefix(beginning) else { return nil }
    let name = code.dropFirst(beginning.count)
    switch name {
    case "missingFetch": return .missingFetch(key: fetched)
    case "recursiveFetch": return .recursiveFetch(key: fetched)
    case "completionNeverCalled": return .completionNeverCalled(key: fetched)
    case "completionWithoutResult": return .completionWithoutResult(key: fetched)
    case "notModifiedWithoutData": return .notModifiedWithoutData(key: fetched)
    default: break
    }
    guard name.hasPrefix(timedOut),
      let limit = Int128(name.dropFirst(timedOut.count)).map({ Duration(attoseconds: $0) }),
      limit <= longestLimit, limit >= .zero - longestLimit
    else { return nil }
    return .timedOut(key: fetched, limit: limit)
  }
}
