/// Passed to a completion-style fetch, which must call it exactly once.
///
/// The first call counts. Further calls are reported to ``QueryClient/Configuration/onMisuse`` and
/// change nothing; a completion that is dropped without a call fails the fetch with
/// ``QueryError/completionNeverCalled(key:)``.
public struct FetchCompletion<Value: Sendable>: Sendable {
  let token: CompletionToken<Value>

  /// Gives up the work when the fetch is cancelled.
  ///
  /// ```swift
  /// let profile = Query<Profile>.callback("profile") { completion in
  ///   let request = api.loadWithHandle { completion($0) }
  ///   completion.onCancel { api.cancel(request) }
  /// }
  /// ```
  ///
  /// The completion need not be called after that; calling it changes nothing. The closure must not
  /// retain the completion, because then a forgotten call could not be detected. A handle that
  /// keeps its callback retains the completion through it: capture such a handle weakly.
  ///
  /// - Parameter handler: Runs once, when the fetch is cancelled, or at once if it was cancelled
  ///   already. It does not run if the completion was called before. Several handlers run in order.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    token.once.onCancel(handler)
  }

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

  /// Ends the fetch with a value or an error, for callbacks that take two optionals.
  ///
  /// An error wins over a value; without either, the fetch fails with
  /// ``QueryError/completionWithoutResult(key:)``.
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
