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

/// What became of the answer of an attempt.
package enum AttemptOutcome: Equatable, Sendable {
  /// Nothing: its fetch was superseded, cancelled or fenced meanwhile.
  case late
  /// It does not land: the truth changed meanwhile, so the fetch was restarted.
  case restarted(EntryActions)
  /// It is the data from now on, or says that the data is still good.
  case landed(EntryActions)
  /// It is a failure, and another attempt follows.
  case retrying(EntryActions, after: TimeSpan)
  /// It is a failure, and the fetch ended with it.
  case failed(EntryActions)
  /// The attempt was cancelled or found nothing to do, and the fetch ended with it.
  case cancelled(EntryActions)

  /// What to do about it.
  package var actions: EntryActions {
    switch self {
    case .late: .none
    case .restarted(let actions), .landed(let actions), .retrying(let actions, after: _),
      .failed(let actions), .cancelled(let actions):
      actions
    }
  }
}

/// Thrown by a fetch that finds nothing to do: it ends as if it had not begun, and its callers
/// fetch for themselves.
struct NothingFetched: Error {}
