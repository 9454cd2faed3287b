/// Accompanies the fetches of a client, in the tasks that wait for them and in those that run them.
///
/// Tracing is one use: a span is open while an attempt runs, and the callers that join the fetch
/// are linked to it. Other uses are task-locals or a limit of requests for every fetch.
/// ``QueryEvent``s tell how a fetch ended; they are delivered without task-locals.
///
/// ```swift
/// import StreamQuery
///
/// struct Journal: FetchCompanion {
///   func attempt<Value: Sendable>(
///     _ context: FetchContext,
///     perform: AccompaniedAttempt<Value>
///   ) async throws -> Value {
///     print("attempt \(context.attempt) of \(context.key) begins")
///     defer { print("attempt \(context.attempt) of \(context.key) ends") }
///     return try await perform()
///   }
/// }
///
/// var configuration = QueryClient.Configuration()
/// configuration.fetchCompanions.append(Journal())
/// let client = QueryClient(configuration: configuration)
/// print(try await client.fetch(Query("greeting") { "Hello" }))
/// ```
///
/// ```text
/// attempt 0 of ["greeting"] begins
/// attempt 0 of ["greeting"] ends
/// Hello
/// ```
///
/// ``attempt(_:perform:)`` has no default implementation: if your method did not match it, the
/// client would silently call the default one. To measure only how long callers wait, return
/// `try await perform()` there.
///
/// The client keeps its companions for as long as it lives. A companion that holds the client keeps it alive
/// for ever.
public protocol FetchCompanion: Sendable {
  /// Called when a caller of `fetch`, `ensure` or `prefetch`, of an observer's `refetch` or of a page command
  /// begins to wait for a fetch that it started or joined.
  ///
  /// This runs in the caller's task, with the caller's task-locals, and must be quick: the caller waits. The
  /// fetch may already run, and end at any time. If the fetch ends before the caller begins to wait, this is
  /// not called. Observers do not wait, nor do callers that find a cached value.
  ///
  /// - Parameter wait: The key and the fetch that the caller waits for.
  func callerWaits(_ wait: FetchWait)

  /// Called when a caller that began to wait does not wait any more: it got an answer, stale data or an
  /// error, or was cancelled.
  ///
  /// This runs in the caller's task, with the caller's task-locals, for each call of ``callerWaits(_:)``. The
  /// method must be quick: the caller gets its answer after it.
  ///
  /// - Parameters:
  ///   - wait: The key and the fetch that the caller waited for.
  ///   - duration: How long the caller waited, by the client's clock.
  func callerWaited(_ wait: FetchWait, for duration: Duration)

  /// Runs an attempt of a fetch.
  ///
  /// This runs in the fetch's task, with the task-locals of the caller that started the fetch. The query's
  /// own code sees the task-locals that the companion sets. An error that the companion throws is the
  /// attempt's error.
  ///
  /// - Parameters:
  ///   - context: The attempt.
  ///   - perform: Runs the attempt. Each further call is a retry within the attempt, for example with a new
  ///     token. If a page of an infinite query failed, the call continues with that page.
  /// - Returns: The result of `perform`.
  /// - Throws: The error of `perform`, or an error of its own.
  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value
}

extension FetchCompanion {
  /// Does nothing.
  ///
  /// - Parameter wait: The key and the fetch that the caller waits for.
  public func callerWaits(_ wait: FetchWait) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - wait: The key and the fetch that the caller waited for.
  ///   - duration: How long the caller waited.
  public func callerWaited(_ wait: FetchWait, for duration: Duration) {}
}

/// An attempt that a companion runs: `try await perform()`.
///
/// This is a type of its own rather than a closure, because the type of an asynchronous closure depends
/// on the settings of the module in which it is written. A method with such a parameter would match
/// the requirement of a protocol in some modules only.
public struct AccompaniedAttempt<Value: Sendable>: Sendable {
  private let body: @Sendable () async throws -> Value

  /// Creates an attempt, to try a companion in a test.
  ///
  /// - Parameter body: Runs the attempt.
  public init(_ body: @escaping @Sendable () async throws -> Value) {
    self.body = body
  }

  /// Runs the attempt, in the task and with the task-locals of its caller.
  ///
  /// - Returns: The result of the attempt.
  /// - Throws: The attempt's error.
  public func callAsFunction() async throws -> Value {
    try await body()
  }
}

/// A caller's wait for a fetch.
public struct FetchWait: Sendable, _FreeOfActors {
  /// The key that the caller asked for.
  public let key: AnyQueryKey
  /// The fetch that the caller waits for.
  public let fetch: FetchIdentity
  /// Whether the caller joined a fetch that it did not start.
  public let isJoining: Bool
}
