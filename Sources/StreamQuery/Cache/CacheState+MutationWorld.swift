extension CacheState {
  /// Tells the runs that network or app changed; those that were paused go on, in the order of
  /// their start.
  ///
  /// - Parameters:
  ///   - releases: Whether runs that were held begin.
  ///   - turn: The turn.
  mutating func resumeMutations(releases: Bool, _ turn: inout Turn) {
    guard mutations.pendingCount > 0 else { return }
    var line: OneShot<Void>?
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
        line = lineUp(id, behind: line)
        emit(.resumed, job, turn)
      }
      apply(effects, to: id, &turn)
    }
  }

  /// Has a run that goes on in this turn begin after those before it in a line: their tasks are made
  /// in this order, and yet any of them might be the first to run.
  ///
  /// - Returns: What the next one in the line begins behind.
  func lineUp(_ id: MutationID, behind before: OneShot<Void>?) -> OneShot<Void>? {
    guard let index = mutations.find(id) else { return before }
    switch mutations.slots[index].machine.phase {
    case .preparing, .running:
      return mutations.slots[index].job?.lineUp(behind: before) ?? before
    case .queued, .paused, .waiting, .settling, .ended:
      return before
    }
  }

  /// Lets the paused runs go on, those that were held included; while offline nothing happens.
  ///
  /// - Parameters:
  ///   - caller: The work that the caller belongs to; runs that wait for it are not waited for.
  ///   - turn: The turn.
  /// - Returns: Waiters for the ends of the other runs that were paused.
  mutating func resumePaused(
    for caller: TaskChain?,
    _ turn: inout Turn
  ) -> [Waiter] {
    guard turn.world.isOnline else { return [] }
    var waiters: [Waiter] = []
    for id in mutations.all {
      guard let index = mutations.find(id), mutations.slots[index].machine.isPaused,
        let tasks = mutations.slots[index].job?.tasks,
        case .granted(let wait) = wait(of: caller, for: tasks.work)
      else {
        continue
      }
      let entry = EntryID(index: -1, generation: 0)
      let waiter = Waiter(role: .watching, entry: entry, round: 0, wait: wait)
      // Those who stopped waiting hold nothing of the user's.
      mutations.slots[index].waiters.removeAll(where: \.isResolved)
      mutations.slots[index].waiters.append(waiter)
      waiters.append(waiter)
      turn.lend(to: tasks)
    }
    resumeMutations(releases: true, &turn)
    return waiters
  }

  /// Holds the sweep of an edge back until the runs that were paused at it have an outcome: what they
  /// change is what the refetch is to bring.
  mutating func hold(_ cause: FetchCause, for paused: Set<MutationID>, _ turn: inout Turn) {
    let sweep = HeldSweep(cause: cause, awaited: paused)
    // A network that flaps while a run is at work must not pile them up.
    if !mutations.held.contains(sweep) { mutations.held.append(sweep) }
    tell(of: cause, &turn)
  }

  /// The runs that an edge of the world has to wait for: those that are paused; while offline none.
  ///
  /// Who waits behind a run at work is none of them while a fetch rests: the work may wait for that
  /// fetch, which goes on with the sweep.
  var pausedMutations: Set<MutationID> {
    guard isOnline, mutations.pendingCount > 0 else { return [] }
    let rests = live.contains { slots[Int($0)].machine.isPaused }
    return Set(
      mutations.all.filter { run in
        guard isPaused(run), let index = mutations.find(run) else { return false }
        guard rests, let first = mutations.lanes.first(in: mutations.slots[index].job?.scope)
        else { return true }
        return isPaused(first)
      }
    )
  }

  private func isPaused(_ run: MutationID) -> Bool {
    mutations.find(run).map { mutations.slots[$0].machine.isPaused } ?? false
  }

  /// A run has its outcome: what waited for it may be due.
  mutating func release(_ id: MutationID) {
    guard !mutations.held.isEmpty else { return }
    for index in mutations.held.indices { mutations.held[index].awaited.remove(id) }
    var due: [FetchCause] = []
    // Of several like edges one sweep is enough: the next would find its fetches under way.
    for sweep in mutations.held where sweep.awaited.isEmpty && !due.contains(sweep.cause) {
      due.append(sweep.cause)
    }
    guard !due.isEmpty else { return }
    mutations.held.removeAll(where: \.awaited.isEmpty)
    errands.append(.mutation(.sweep(due)))
  }
}
