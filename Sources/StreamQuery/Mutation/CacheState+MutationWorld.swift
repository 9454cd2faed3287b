extension CacheState {
  /// Tells the runs that network or app changed; those that were paused go on, in the order of
  /// their start.
  ///
  /// - Parameters:
  ///   - releases: Whether runs that were held begin.
  ///   - turn: The turn.
  /// - Returns: The runs that went on, and those that wait behind them in their lanes.
  mutating func resumeMutations(releases: Bool, _ turn: inout Turn) -> Set<MutationID> {
    guard mutations.pendingCount > 0 else { return [] }
    var resumed: Set<MutationID> = []
    var line: Turnstile?
    for id in mutations.all {
      guard let index = mutations.find(id), mutations.slots[index].machine.isPending else {
        continue
      }
      var effects = MutationEffects.none
      if releases { effects = mutations.slots[index].machine.released(in: turn.world) }
      if effects == .none {
        effects = mutations.slots[index].machine.worldChanged(in: turn.world)
      }
      if effects.performs || effects.prepares, let job = mutations.slots[index].job {
        resumed.insert(id)
        resumed.formUnion(mutations.lanes.waiting(in: job.plan.scope))
        line = lineUp(id, behind: line)
        emit(.resumed, job, turn)
      }
      apply(effects, to: id, &turn)
    }
    return resumed
  }

  /// Has a run that goes on in this turn begin after those before it in a line: their tasks are made
  /// in this order, and yet any of them might be the first to run.
  ///
  /// - Returns: What the next one in the line begins behind.
  func lineUp(_ id: MutationID, behind before: Turnstile?) -> Turnstile? {
    guard let index = mutations.find(id), case .running = mutations.slots[index].machine.phase
    else { return before }
    return mutations.slots[index].job?.lineUp(behind: before) ?? before
  }

  /// Lets the paused runs go on, those that were held included; while offline nothing happens.
  ///
  /// - Parameters:
  ///   - dependents: Those that wait for the caller, who must not wait for them.
  ///   - turn: The turn.
  /// - Returns: Waiters for the ends of the other runs that were paused.
  mutating func resumePaused(
    besides dependents: Set<MutationID>,
    _ turn: inout Turn
  ) -> [Waiter] {
    guard turn.world.isOnline else { return [] }
    var waiters: [Waiter] = []
    for id in mutations.all {
      guard let index = mutations.find(id), mutations.slots[index].machine.isPaused,
        !dependents.contains(id)
      else {
        continue
      }
      let entry = EntryID(index: -1, generation: 0)
      let waiter = Waiter(role: .watching, entry: entry, round: 0)
      mutations.slots[index].waiters.append(waiter)
      waiters.append(waiter)
    }
    _ = resumeMutations(releases: true, &turn)
    return waiters
  }

  /// Holds the sweep of an edge back until the runs that it resumed are over: what they change is
  /// what the refetch is to bring.
  ///
  /// - Returns: Whether the sweep is held back; if not, it is due now.
  mutating func hold(_ cause: FetchCause, for resumed: Set<MutationID>) -> Bool {
    var held = mutations.held ?? HeldSweep()
    held.awaited.formUnion(resumed)
    guard !held.awaited.isEmpty else { return false }
    if !held.causes.contains(cause) { held.causes.append(cause) }
    mutations.held = held
    return true
  }

  /// The opposite edge: what was held back for this cause is due no more.
  mutating func forgetHeld(_ cause: FetchCause) {
    mutations.held?.causes.removeAll { $0 == cause }
    if mutations.held?.causes.isEmpty == true { mutations.held = nil }
  }

  /// A run is over: what waited for it may be due.
  mutating func release(_ id: MutationID) {
    guard mutations.held?.awaited.remove(id) != nil, let held = mutations.held,
      held.awaited.isEmpty
    else { return }
    mutations.held = nil
    errands.append(.mutation(.sweep(held.causes)))
  }
}
