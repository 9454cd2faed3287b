/// Handed to a completion-style fetch, which must call it exactly once.
///
/// The first call counts. Further calls are reported to ``QueryClient/Configuration/onMisuse`` and
/// change nothing; a completion that is dropped without a call fails the fetch with
/// ``QueryError/completionNeverCalled(key:)``.
public struct FetchCompletion<Value: Sendable>: Sendable {
  let token: CompletionToken<Value>

  /// Ends the fetch with a result.
  ///
  /// - Parameter result: The value or the error.
  public func callAsFunction<Failure: Error>(_ result: Result<Value, Failure>) {
    token.once.complete(result.mapError { $0 })
  }

  /// Ends the fetch with a result.
  ///
  /// - Parameter result: The value or the error.
  public func callAsFunction(_ result: Result<Value, any Error>) {
    token.once.complete(result)
  }

  /// Ends the fetch with a value or an error, as callbacks of two optionals report.
  ///
  /// An error wins over a value; neither is ``QueryError/completionWithoutResult(key:)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - error: The error.
  public func callAsFunction(_ value: Value?, _ error: (any Error)?) {
    if let error {
      token.once.complete(.failure(error))
    } else if let value {
      token.once.complete(.success(value))
    } else {
      token.once.complete(.failure(QueryError.completionWithoutResult(key: token.once.key)))
    }
  }
}
