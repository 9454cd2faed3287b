nonisolated extension QueryClient {
  /// A fetch inside the client's companions, the first of them outermost.
  ///
  /// It is not inlined, because the task of each fetch would reserve stack space for it.
  @inline(never)
  func accompanied(_ fetch: @escaping QueryDefinition.Fetch) -> QueryDefinition.Fetch {
    let repeated = RepeatedAttempt()
    let first: QueryDefinition.Fetch = { context in try await repeated.run(fetch, context) }
    return fetchCompanions.reversed().reduce(first) { inner, companion in
      { context in
        try await companion.attempt(
          context,
          perform: AccompaniedAttempt { try await inner(context) }
        )
      }
    }
  }

  /// Waits for a caller's answer, and tells tests about the wait.
  ///
  /// It is not inlined, because the tasks of all other callers would reserve stack space for it.
  @inline(never)
  func reportedOutcome(of waiter: Waiter, for key: EntryKey) async -> WaitOutcome {
    await waiter.outcome(observed("a fetch of \(key.key)")) { self.left(waiter) }
  }

  /// Waits for a caller's answer, where tests or companions observe such waits.
  ///
  /// If the answer is not there already, the companions are told when the wait begins and ends.
  ///
  /// It is not inlined, because the tasks of all other callers would reserve stack space for it.
  @inline(never)
  func accompaniedOutcome(of waiter: Waiter, for key: EntryKey) async -> WaitOutcome {
    guard let wait = cache.read({ $0.fetchWait(of: waiter, for: key) }) else {
      return await reportedOutcome(of: waiter, for: key)
    }
    for companion in companions { companion.callerWaits(wait) }
    let start = cache.clock.now()
    let outcome = await reportedOutcome(of: waiter, for: key)
    let duration = Duration.nanoseconds(cache.clock.now().nanoseconds - start.nanoseconds)
    for companion in companions { companion.callerWaited(wait, for: duration) }
    return outcome
  }

  /// The work of an attempt inside the client's companions, the first of them outermost.
  func accompanied(
    _ context: MutationContext,
    _ work: @escaping @Sendable () async throws -> ValueBox
  ) -> AccompaniedAttempt<ValueBox> {
    mutationCompanions.reversed().reduce(AccompaniedAttempt(work)) {
      inner,
      companion in
      AccompaniedAttempt { try await companion.attempt(context, perform: inner) }
    }
  }
}
