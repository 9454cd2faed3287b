extension EntryMachine {
  // These functions are inlined, because the machine is a large value, and a call would copy it.
  @inline(__always)
  func fetchesOnSubscribe(_ resolvedOptions: ResolvedObserverOptions, at now: Instant) -> Bool {
    guard resolvedOptions.isEnabled else { return false }
    if !hasData || isIncomplete, !isError || resolvedOptions.retriesOnSubscribe { return true }
    return hasData && isWilling(resolvedOptions.onSubscribe, resolvedOptions, at: now)
  }

  /// Whether a new observer starts or resumes a fetch, and so changes the state that other observers
  /// see.
  @inline(__always)
  func changesOnArrival(of resolvedOptions: ResolvedObserverOptions, at now: Instant) -> Bool {
    !isFetching && fetchesOnSubscribe(resolvedOptions, at: now)
  }

  @inline(__always)
  func isWilling(
    _ policy: RefetchPolicy.Answer,
    _ resolvedOptions: ResolvedObserverOptions,
    at now: Instant
  ) -> Bool {
    guard resolvedOptions.isEnabled, resolvedOptions.freshness != .static else { return false }
    switch policy {
    case .never: return false
    case .ifStale: return isStale(resolvedOptions.freshness, at: now)
    case .always: return true
    }
  }

  /// Whether the entry was removed after a time, and no fetch was requested since.
  ///
  /// A trigger that fired at that time does not refetch the entry any more.
  @inline(__always)
  func wasRemoved(after time: Instant) -> Bool { isRemoved && lastTick > time }
}
