/// Accompanies the attempts of a client's mutations, in the tasks that run them.
///
/// This is the ``FetchCompanion`` of mutations. A type that is both accompanies all requests of a client, for
/// example to renew an expired token:
///
/// ```swift
/// import StreamQuery
///
/// struct TokenRenewal: FetchCompanion, MutationCompanion {
///   let session: TokenSession
///
///   func attempt<Value: Sendable>(
///     _ context: FetchContext,
///     perform: AccompaniedAttempt<Value>
///   ) async throws -> Value {
///     try await renewing(perform)
///   }
///
///   func attempt<Output: Sendable>(
///     _ context: MutationContext,
///     perform: AccompaniedAttempt<Output>
///   ) async throws -> Output {
///     try await renewing(perform)
///   }
///
///   private func renewing<Value>(_ perform: AccompaniedAttempt<Value>) async throws -> Value {
///     do {
///       return try await perform()
///     } catch is TokenExpired {
///       await session.renew()
///       return try await perform()
///     }
///   }
/// }
///
/// struct TokenExpired: Error {}
///
/// actor TokenSession {
///   private var isValid = false
///   func renew() { isValid = true }
///   func check() throws { if !isValid { throw TokenExpired() } }
/// }
///
/// let session = TokenSession()
/// var configuration = QueryClient.Configuration()
/// configuration.fetchCompanions.append(TokenRenewal(session: session))
/// configuration.mutationCompanions.append(TokenRenewal(session: session))
/// let client = QueryClient(configuration: configuration)
///
/// let greet = Mutation<String, String>("greet") { name in
///   try await session.check()
///   return "Hello \(name)"
/// }
/// print(try await client.mutate(greet, with: "Ada"))
/// ```
///
/// ```text
/// Hello Ada
/// ```
///
/// An attempt that is performed twice counts once: ``MutationRun/failureCount`` and events include
/// an error only if the companion throws it.
///
/// The client keeps its companions for as long as it lives. A companion that holds the client keeps it alive
/// for ever.
public protocol MutationCompanion: Sendable {
  /// Runs an attempt of a mutation.
  ///
  /// The client calls this in the run's task, with the task-locals of the caller that started the run, and
  /// within ``Mutation/timeout(_:)``. The work sees the task-locals that the companion sets. An error that
  /// the companion throws is the attempt's error.
  ///
  /// - Parameters:
  ///   - context: The attempt.
  ///   - perform: Runs the attempt. Each further call runs it again, as a request with the same
  ///     ``MutationContext/idempotencyKey``.
  /// - Returns: The result of `perform`.
  /// - Throws: The error of `perform`, or an error of its own.
  func attempt<Output: Sendable>(
    _ context: MutationContext,
    perform: AccompaniedAttempt<Output>
  ) async throws -> Output
}
