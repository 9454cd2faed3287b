/// What an attempt of a fetch has to say.
enum AttemptAnswer: Sendable {
  /// The whole value: the attempt is over.
  case value(ValueBox)
  /// A part of the value: the attempt continues.
  case part(ValueBox)
  /// The data is still good; where there is none, the fetch failed with this error.
  case notModified(withoutData: ErrorBox)
  /// It failed; `nil` gives up.
  case failure(ErrorBox, retryAfter: TimeSpan?)
  case cancelled
  /// It found nothing to do.
  case nothing

  /// What an error means that an attempt threw.
  ///
  /// It runs the user code of the retry policy: never call it under the lock.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - isCancelled: Whether the attempt's task was cancelled. The task is asked and not the error:
  ///     URLSession throws -999 when its task is cancelled, and an error of cancellation that comes
  ///     from elsewhere is a failure.
  ///   - failures: The number of failures before this one.
  ///   - key: The key, for an error of its own.
  ///   - retry: How to retry.
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
      // A retry would find the same.
      self = .failure(ErrorBox(error), retryAfter: nil)
    } else {
      let delay = retry().delay(failures: failures, error: error, jitter: jitter())
      self = .failure(ErrorBox(error), retryAfter: delay)
    }
  }

  /// The data that it brings.
  var box: ValueBox? {
    switch self {
    case .value(let box), .part(let box): box
    case .notModified, .failure, .cancelled, .nothing: nil
    }
  }

  /// Why the attempt failed, if it did and gives up.
  var lastError: ErrorBox? {
    if case .failure(_, retryAfter: _?) = self { nil } else { error }
  }

  /// Why the attempt failed, if it did.
  var error: ErrorBox? {
    switch self {
    case .notModified(let error), .failure(let error, retryAfter: _): error
    case .value, .part, .cancelled, .nothing: nil
    }
  }
}
