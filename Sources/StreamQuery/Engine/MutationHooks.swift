/// Callbacks for every mutation of a client: each runs before the mutation's own callback of its
/// kind.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.mutationHooks = MutationHooks(
///   onError: { error, info, client in logger.debug("\(info.key) failed: \(error)") }
/// )
/// ```
///
/// The run waits for the hooks, as it waits for its own callbacks. An error that a hook throws is
/// reported to ``QueryClient/Configuration/onMisuse`` and changes nothing. The exception is
/// ``onMutate``: if it throws, nothing is performed and the run fails.
///
/// The client keeps the hooks for as long as it lives and passes itself to each. A hook that
/// captures the client instead keeps it from ever being freed.
public struct MutationHooks: Sendable, _FreeOfActors {
  /// Called before the first attempt.
  ///
  /// A run that is cancelled before it begins is not prepared: this is not called for it, while ``onError``
  /// and ``onSettled`` are. So a measurement that begins here, for example, may end without having begun.
  public var onMutate: (@Sendable (MutationInfo, QueryClient) async throws -> Void)?
  /// Called after a success.
  public var onSuccess: (@Sendable (any Sendable, MutationInfo, QueryClient) async throws -> Void)?
  /// Called after a failure or a cancellation.
  public var onError: (@Sendable (any Error, MutationInfo, QueryClient) async throws -> Void)?
  /// Called after a success, a failure or a cancellation.
  public var onSettled:
    (
      @Sendable (Result<any Sendable, any Error>, MutationInfo, QueryClient) async throws -> Void
    )?

  /// Creates hooks.
  ///
  /// - Parameters:
  ///   - onMutate: Called before the first attempt.
  ///   - onSuccess: Called after a success, with the output.
  ///   - onError: Called after a failure or a cancellation.
  ///   - onSettled: Called after any end, with the output or the error.
  public init(
    onMutate: (@Sendable (MutationInfo, QueryClient) async throws -> Void)? = nil,
    onSuccess: (@Sendable (any Sendable, MutationInfo, QueryClient) async throws -> Void)? = nil,
    onError: (@Sendable (any Error, MutationInfo, QueryClient) async throws -> Void)? = nil,
    onSettled: (
      @Sendable (Result<any Sendable, any Error>, MutationInfo, QueryClient) async throws -> Void
    )? = nil
  ) {
    self.onMutate = onMutate
    self.onSuccess = onSuccess
    self.onError = onError
    self.onSettled = onSettled
  }

  /// The hooks as a mutation's callbacks.
  var callbacks: MutationCallbacks {
    func conclude<Outcome>(
      _ hook: (@Sendable (Outcome, MutationInfo, QueryClient) async throws -> Void)?,
      _ outcome: @escaping @Sendable (Result<any Sendable, any Error>) throws -> Outcome?
    ) -> [MutationCallbacks.Conclude] {
      guard let hook else { return [] }
      return [
        { result, facts in
          guard let outcome = try outcome(result.map(\.erased)), let info = facts.info
          else { return }
          try await hook(outcome, info, facts.client.client)
        }
      ]
    }
    return MutationCallbacks(
      onMutate: onMutate.map { hook in
        [
          { facts in
            if let info = facts.info { try await hook(info, facts.client.client) }
            return ()
          }
        ]
      } ?? [],
      onSuccess: conclude(onSuccess) { try $0.get() },
      onError: conclude(onError) { if case .failure(let error) = $0 { error } else { nil } },
      onSettled: conclude(onSettled) { $0 }
    )
  }
}

extension MutationCallbacks.Facts {
  /// The run as it is now; `nil` if it was cleared.
  fileprivate var info: MutationInfo? {
    client.client.cache.read { state in
      state.mutations.find(job.id).flatMap { state.mutations.currentSnapshot($0) }
    }.map(MutationInfo.init)
  }
}
