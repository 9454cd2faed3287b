/// The result of an attempt of a fetch.
enum AttemptAnswer: Sendable {
  /// The whole value: the attempt is over.
  case value(ValueBox)
  /// A part of the value: the attempt continues.
  case part(ValueBox)
  /// The server says that the cached data is still good; without cached data, the fetch fails with this
  /// error.
  case notModified(withoutData: ErrorBox)
  /// The attempt failed: another attempt follows after `retryAfter`; if this is `nil`, the fetch ends.
  case failure(ErrorBox, retryAfter: TimeSpan?)
  case cancelled
  /// The attempt found nothing to do: see ``NothingFetched``.
  case nothing

  /// Makes an answer from an error that an attempt threw.
  ///
  /// This runs the user code of the retry policy, so do not call it under the lock.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - isCancelled: Whether the attempt's task was cancelled. The error alone does not tell this:
  ///     URLSession throws -999 for a cancelled task, and a `CancellationError` of another task is a failure.
  ///   - failures: The number of failures before this one.
  ///   - key: The key, for an error about a missing fetch or data.
  ///   - retry: The retry policy.
  ///   - jitter: A random number in 0..<1.
  init(
    _ error: any Error,
    isCancelled: Bool,
    after failures: Int,
    of key: AnyQueryKey,
    retry: @autoclosure () -> RetryPolicy,
    jitter: @autoclosure () -> Double
  ) {
    if isCancelled {
      self = .cancelled
    } else if error is NothingFetched {
      self = .nothing
    } else if error is NotModified {
      let missing = QueryError.notModifiedWithoutData(key: key.description)
      self = .notModified(withoutData: ErrorBox(missing))
    } else if case .notModifiedWithoutData? = error as? QueryError {
      // The error is not retried: the next attempt would have no cached data either.
      self = .failure(ErrorBox(error), retryAfter: nil)
    } else {
      let delay = retry().delay(failures: failures, error: error, jitter: jitter())
      self = .failure(ErrorBox(error), retryAfter: delay)
    }
  }

  /// The data that the answer brings.
  var box: ValueBox? {
    switch self {
    case .value(let box), .part(let box): box
    case .notModified, .failure, .cancelled, .nothing: nil
    }
  }

  /// The error of a failed attempt, if no other attempt of the fetch follows; otherwise `nil`.
  var lastError: ErrorBox? {
    if case .failure(_, retryAfter: _?) = self { nil } else { error }
  }

  /// The error of an attempt that failed.
  var error: ErrorBox? {
    switch self {
    case .notModified(let error), .failure(let error, retryAfter: _): error
    case .value, .part, .cancelled, .nothing: nil
    }
  }
}

/// The effect of an attempt's answer on its entry.
package enum AttemptOutcome: Equatable, Sendable {
  /// The answer has no effect, because its fetch is no longer in flight.
  case late
  /// The answer was dropped and the fetch restarted, because the server's data changed during the attempt.
  case restarted(EntryActions)
  /// The answer became the new data, or confirmed the present data.
  case landed(EntryActions)
  /// The answer is a failure, and another attempt follows.
  case retrying(EntryActions, after: TimeSpan)
  /// The answer is a failure, and the fetch ended with it.
  case failed(EntryActions)
  /// The attempt was cancelled or found nothing to do, and the fetch ended with it.
  case cancelled(EntryActions)

  /// The actions that the cache and the client perform.
  package var actions: EntryActions {
    switch self {
    case .late: .none
    case .restarted(let actions), .landed(let actions), .retrying(let actions, after: _),
      .failed(let actions), .cancelled(let actions):
      actions
    }
  }
}

/// Thrown by a fetch function that finds nothing to do: the fetch ends as if it had not begun, and if callers
/// wait for a value, another fetch follows.
struct NothingFetched: Error {}
