import Synchronization

extension Query {
  /// A query over an API with a completion handler.
  ///
  /// This is a factory and not an initialiser, so that the compiler diagnoses wrong closures of other
  /// queries correctly.
  ///
  /// ```swift
  /// let profile = Query<Profile>.callback("profile") { completion in
  ///   api.load { completion($0) }
  /// }
  /// ```
  ///
  /// The completion takes a `Result` of any failure type, or a value and an error of which one is
  /// `nil`. The first of several calls counts; work that drops the completion without a call fails
  /// with ``QueryError/completionNeverCalled(key:)`` instead of hanging.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call the completion exactly once. Cancelling the fetch
  ///     ends the wait at once; the work itself continues, unless ``FetchCompletion/onCancel(_:)``
  ///     gives it up.
  /// - Returns: The query.
  public static func callback<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (FetchCompletion<Value>) -> Void
  ) -> Self {
    callback(key: QueryKey(repeat each part, fields: fields), start: start)
  }

  /// A query whose key starts with a type, over an API with a completion handler.
  ///
  /// - Parameters:
  ///   - subject: The type; types of the same name in other modules are different.
  ///   - part: The further parts of the key.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call the completion exactly once.
  /// - Returns: The query.
  public static func callback<Subject, each Part: Hashable & Sendable>(
    _ subject: Subject.Type,
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (FetchCompletion<Value>) -> Void
  ) -> Self {
    callback(key: QueryKey(subject, repeat each part, fields: fields), start: start)
  }

  /// A query over a function, passed by name, that takes a handler of results.
  ///
  /// ```swift
  /// let profile = Query<Profile>.callback("profile", start: api.load)
  /// ```
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call its handler exactly once.
  /// - Returns: The query.
  @_disfavoredOverload
  public static func callback<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) -> Self {
    callback(key: QueryKey(repeat each part, fields: fields)) { completion in
      start { completion($0) }
    }
  }

  /// A query over a function, passed by name, that takes a handler of a value and an error.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - start: Starts the work, which must call its handler exactly once; an error wins over a
  ///     value; without either, the fetch fails with ``QueryError/completionWithoutResult(key:)``.
  /// - Returns: The query.
  @_disfavoredOverload
  public static func callback<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    start: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
  ) -> Self {
    callback(key: QueryKey(repeat each part, fields: fields)) { completion in
      start { completion($0, $1) }
    }
  }

  private static func callback(
    key: QueryKey<Value>,
    start: @escaping @Sendable (FetchCompletion<Value>) -> Void
  ) -> Self {
    Query(key: key) { context in
      try await CompletionOnce.run(
        key: context.key.description,
        // The closure does not capture the client: a completion that is never released must not keep the
        // client alive.
        report: context.client.configuration.onMisuse,
        start: start
      )
    }
  }
}

/// The completion of a completion-style fetch; the fetch must call it exactly once.
///
/// The first call counts. Further calls are reported to ``QueryClient/Configuration/onMisuse`` and
/// change nothing; a completion that is dropped without a call fails the fetch with
/// ``QueryError/completionNeverCalled(key:)``.
public struct FetchCompletion<Value: Sendable>: Sendable {
  let token: CompletionToken<Value>

  /// Adds a handler that gives up the work when the fetch is cancelled.
  ///
  /// ```swift
  /// let profile = Query<Profile>.callback("profile") { completion in
  ///   let request = api.loadWithHandle { completion($0) }
  ///   completion.onCancel { api.cancel(request) }
  /// }
  /// ```
  ///
  /// The completion need not be called after that; calling it changes nothing. The closure must not
  /// retain the completion: a forgotten call could not be detected then. A handle that keeps its
  /// callback retains the completion, so capture such a handle weakly.
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

/// Makes only the first call of a completion count, and reports a second one.
final class CompletionOnce<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>

  /// The handlers that give up the work.
  private enum Handlers {
    case pending([@Sendable () -> Void])
    /// The fetch was cancelled: a handler that is added now runs at once.
    case cancelled
    /// The work is over.
    case over
  }

  let key: String
  private let report: @Sendable (QueryMisuse) -> Void
  private let outcome = OneShot<Outcome>()
  private let isCalled = Atomic(false)
  private let handlers = Mutex(Handlers.pending([]))

  private init(key: String, report: @escaping @Sendable (QueryMisuse) -> Void) {
    self.key = key
    self.report = report
  }

  /// Starts completion-style work and waits for its result.
  ///
  /// Cancelling the task ends the wait at once. The work itself continues unless a handler gives it
  /// up.
  static func run(
    key: String,
    report: @escaping @Sendable (QueryMisuse) -> Void,
    start: (FetchCompletion<Value>) -> Void
  ) async throws -> Value {
    let once = CompletionOnce(key: key, report: report)
    // Only the work has the token. When the last copy is released, the completion can no longer be called,
    // and the token fails the fetch.
    start(FetchCompletion(token: CompletionToken(once: once)))
    let outcome = await withTaskCancellationHandler {
      await once.outcome.wait()
    } onCancel: {
      once.cancel()
    }
    guard let outcome else { throw CancellationError() }
    return try outcome.get()
  }

  func onCancel(_ handler: @escaping @Sendable () -> Void) {
    let runsNow = handlers.withLock { handlers in
      switch handlers {
      case .pending(let others):
        handlers = .pending(others + [handler])
        return false
      case .cancelled: return true
      case .over: return false
      }
    }
    if runsNow { handler() }
  }

  /// Removes the handlers, to be run or released outside the lock.
  private func endHandlers(as end: Handlers) -> [@Sendable () -> Void] {
    handlers.withLock { handlers in
      guard case .pending(let pending) = handlers else { return [] }
      handlers = end
      return pending
    }
  }

  /// Gives the fetch the outcome of the work, and reports a second call as a misuse.
  ///
  /// After a cancellation this changes nothing, and is not a misuse.
  func complete(_ outcome: Outcome) {
    _ = endHandlers(as: .over)
    let isExtra = isCalled.exchange(true, ordering: .relaxed)
    self.outcome.give(outcome)
    if isExtra { report(.completionCalledTwice(key: key)) }
  }

  /// Fails the fetch, because the work released the completion and never called it.
  func abandon() {
    _ = endHandlers(as: .over)
    outcome.give(.failure(QueryError.completionNeverCalled(key: key)))
  }

  private func cancel() {
    let pending = endHandlers(as: .cancelled)
    outcome.give(.failure(CancellationError()))
    for handler in pending { handler() }
  }
}

/// An object that only the completion-style work retains: its `deinit` fails the fetch if the work has not
/// called the completion.
final class CompletionToken<Value: Sendable>: Sendable {
  let once: CompletionOnce<Value>

  init(once: CompletionOnce<Value>) {
    self.once = once
  }

  deinit {
    once.abandon()
  }
}
