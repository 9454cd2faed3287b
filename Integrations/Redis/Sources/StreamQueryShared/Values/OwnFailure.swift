internal import StreamQuery

/// The codes of the library's own errors, so that they mean the same on all machines.
///
/// `StreamQuery.` and the name of the case; of a timeout, a colon and its limit. Only errors of the
/// fetch itself have codes: the key of another one may have what `failureText` leaves out.
enum OwnFailure {
  private static let beginning = "StreamQuery."
  private static let timedOut = "timedOut:"
  /// The longest limit of an error, 100 years: the parts of a duration that is much longer are no numbers of
  /// 64 bits, and asking for them ends the process.
  private static let longestLimit = Duration.seconds(3_155_760_000)

  /// The code of an error.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - fetched: The key that was fetched.
  /// - Returns: The code; `nil` for errors of others and of other keys, and for those that say something
  ///   of this process only.
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

  /// The error of a code, which anybody may have written.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - fetched: The key that is fetched.
  /// - Returns: The error; `nil` if it is no code of the library.
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
