extension QueryClient {
  /// Changes what an existing observer observes.
  nonisolated func update<Value>(
    _ id: ConsumerID,
    _ query: Query<Value>,
    _ options: ObserverOptions?
  ) {
    update(id, EntryKey(query.key), query.plan, options)
  }

  nonisolated func update(
    _ id: ConsumerID,
    _ key: EntryKey,
    _ queryPlan: QueryPlan,
    _ options: ObserverOptions?
  ) {
    // Compared outside the lock: a query that is rebuilt for each frame brings an equal
    // placeholder.
    let old = queryPlan.placeholder.flatMap { _ in cache.read { $0.placeholder(of: id, on: key) } }
    let isEqual = queryPlan.placeholder.flatMap { old?.holdsTheSame(as: $0) } ?? false
    settling(key, queryPlan, options) { state, index, plan, profile, seed, turn in
      // The observer has ended: it was cancelled, or the client was shut down.
      guard let consumer = state.find(id) else { return }
      let isKept = isEqual && state.placeholder(of: id, on: key) === old
      let entry = index ?? state.entry(key, plan, &turn)
      state.plan(entry, with: plan, &turn)
      state.seed(entry, seed, &turn)
      if Int(state.consumers[consumer].entry) == entry {
        state.reobserve(
          consumer,
          plan: plan,
          profile: profile,
          keepsPlaceholder: isKept,
          &turn
        )
      } else {
        state.move(consumer, to: entry, plan: plan, profile: profile, &turn)
      }
    }
  }

  /// Fetches one key for an explicit call, and watches until the fetch is settled.
  nonisolated func refetchOne(
    _ key: EntryKey,
    _ queryPlan: QueryPlan,
    _ options: ObserverOptions?,
    direction: PageDirection? = nil,
    superseding: Bool
  ) async throws -> (outcome: WaitOutcome, end: EntryEnd?) {
    enum Start {
      case waiting(Waiter)
      case missingFetch
      case recursive
      case shutDown
    }
    let start: Start = settling(key, queryPlan, options) {
      state,
      index,
      plan,
      _,
      seed,
      turn in
      guard !state.isShutDown else { return .shutDown }
      let index = index ?? state.entry(key, plan, &turn)
      state.seed(index, seed, &turn)
      guard plan.fetch != nil || state.slots[index].plan?.fetch != nil else {
        // The entry may have just been made: its retention has to start.
        state.settleBookkeeping(index, turn)
        return .missingFetch
      }
      let request = FetchRequest(
        cause: .manual,
        isSuperseding: superseding,
        direction: direction
      )
      return state.request(index, request, plan: plan, role: .watching, &turn)
        .map(Start.waiting) ?? .recursive
    }
    switch start {
    case .shutDown: throw QueryError.shutDown
    case .recursive: throw QueryError.recursiveFetch(key: key.key.description)
    case .missingFetch: throw QueryError.missingFetch(key: key.key.description)
    case .waiting(let waiter):
      let subject = observed("a fetch of \(key.key)")
      let outcome = await waiter.outcome(subject, onCancel: leaving(waiter))
      return (outcome, waiter.end)
    }
  }

  /// Removes a waiter whose caller was cancelled.
  nonisolated func leaving(_ waiter: Waiter) -> @Sendable () -> Void {
    { self.turn { state, turn in state.leave(waiter, &turn) } }
  }

  /// Removes the waiters of a bulk call whose caller was cancelled.
  nonisolated func leaving(_ gathering: Gathering) -> @Sendable () -> Void {
    { self.turn { state, turn in state.leave(gathering, &turn) } }
  }
}
