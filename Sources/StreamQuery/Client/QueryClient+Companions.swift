extension QueryClient {
  /// A fetch among the client's companions, the first of them outermost.
  ///
  /// Never inlined: the task of each fetch would make room for it.
  @inline(never)
  nonisolated func accompanied(_ fetch: @escaping QueryDefinition.Fetch) -> QueryDefinition.Fetch {
    companions.reversed().reduce(fetch) { inner, companion in
      { context in
        try await companion.attempt(
          context,
          perform: AccompaniedAttempt { try await inner(context) }
        )
      }
    }
  }

  /// Waits for a caller's answer, and tells the companions when it begins to wait and when that is
  /// over, unless it was answered before.
  ///
  /// Never inlined: the tasks of callers without companions would make room for it.
  @inline(never)
  nonisolated func accompaniedOutcome(of waiter: Waiter, for key: EntryKey) async -> WaitOutcome {
    let subject = observed("a fetch of \(key.key)")
    guard let wait = cache.read({ $0.wait(of: waiter, for: key) }) else {
      return await waiter.outcome(subject, onCancel: leaving(waiter))
    }
    for companion in companions { companion.callerWaits(wait) }
    let start = cache.clock.now()
    let outcome = await waiter.outcome(subject, onCancel: leaving(waiter))
    let duration = Duration.nanoseconds(cache.clock.now().nanoseconds - start.nanoseconds)
    for companion in companions { companion.callerWaited(wait, for: duration) }
    return outcome
  }
}
