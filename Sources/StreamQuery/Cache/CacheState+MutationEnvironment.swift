extension CacheState {
  /// Tells the runs that the network or the app changed; paused runs resume in the order in which
  /// they started.
  ///
  /// - Parameters:
  ///   - releases: Whether to start the runs that an import has added but not started.
  ///   - transaction: The transaction.
  mutating func resumeMutations(releases: Bool, _ transaction: inout Transaction) {
    guard mutations.pendingCount > 0 else { return }
    var begun: SharedOneShot<Void>?
    for id in mutations.all {
      guard let index = mutations.find(id), mutations.slots[index].machine.isPending else {
        continue
      }
      var actions = MutationActions.none
      if releases { actions = mutations.slots[index].machine.released(in: transaction.environment) }
      if actions == .none {
        let environment = environment(ofRun: index, transaction)
        actions = mutations.slots[index].machine.environmentChanged(in: environment)
      }
      let goesOn = actions.step == .perform || actions.step == .prepare
      if goesOn, let job = mutations.slots[index].job {
        begun = job.gate(behind: begun)
        emit(.resumed, job, transaction)
      }
      apply(actions, to: id, &transaction)
    }
  }

  /// The environment for the next step of a run after a wait.
  ///
  /// The app counts as active for a run that a caller awaits, so such a run does not wait for the app.
  func environment(ofRun run: Int, _ transaction: Transaction) -> Environment {
    var environment = transaction.environment
    if !environment.isActive {
      environment.isActive = mutations.slots[run].waiters.contains { !$0.isResolved }
    }
    return environment
  }

  /// Resumes the paused runs, including those that an import has added but not started.
  ///
  /// While offline this does nothing.
  ///
  /// - Parameters:
  ///   - caller: The caller's work; the caller does not wait for runs that wait for that work.
  ///   - transaction: The transaction.
  /// - Returns: Waiters for the ends of all other runs that were paused.
  mutating func resumePaused(
    for caller: TaskChain?,
    _ transaction: inout Transaction
  ) -> [Waiter] {
    guard transaction.environment.isOnline else { return [] }
    releaseFetch(of: TaskChain.current)
    var waiters: [Waiter] = []
    // The scopes with an earlier run that goes on only after a decision about its error, or when its store
    // works again.
    var stalled: Set<String> = []
    for id in mutations.all {
      guard let index = mutations.find(id) else { continue }
      let scope = mutations.slots[index].job?.scope
      if let scope, mutations.slots[index].machine.isStalled { stalled.insert(scope) }
      let isHeldUp = scope.map { stalled.contains($0) } ?? false
      guard isPaused(id), !isHeldUp, !isBehind(index, \.isStalled),
        let tasks = mutations.slots[index].job?.tasks,
        case .granted(let wait) = permitWait(of: caller, for: tasks.work)
      else {
        continue
      }
      let waiter = Waiter(role: .watching, wait: wait)
      // Waiters that no longer wait hold no users' objects, so they may be released under the lock.
      mutations.slots[index].waiters.removeAll(where: \.isResolved)
      mutations.slots[index].waiters.append(waiter)
      waiters.append(waiter)
      transaction.lend(to: tasks)
    }
    resumeMutations(releases: true, &transaction)
    return waiters
  }

  /// Delays the refetches after a reconnect or an activation until the paused runs have succeeded or failed,
  /// so that the refetches bring the changes of these runs.
  mutating func hold(
    _ cause: FetchCause,
    for paused: Set<MutationID>,
    _ transaction: inout Transaction
  ) {
    // A network that comes and goes while a run is at work must not add the same delay again and
    // again.
    if !mutations.delayedRefetches.contains(where: { $0 == (cause, paused) }) {
      mutations.delayedRefetches.append((cause, paused))
    }
    environmentMoved(of: cause, &transaction)
  }

  /// The paused runs that the refetches after a reconnect or an activation wait for; empty while offline.
  ///
  /// A delayed run is not included: its delay lasts as long as a user may change their mind. A run behind a
  /// run that is delayed, refused, stopped or being stored is not included either: its wait may last for
  /// ever.
  ///
  /// While a fetch is paused, a run that waits behind a running run is not included. The running run may wait
  /// for that fetch, which resumes only with the refetches.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The runs.
  func pausedMutations(in environment: Environment) -> Set<MutationID> {
    guard environment.isOnline, mutations.pendingCount > 0 else { return [] }
    let rests = slots.live.contains { slots[Int($0)].machine.isPaused }
    var paused: Set<MutationID> = []
    // The scopes that an earlier run of this loop holds up.
    var heldUp: Set<String> = []
    for run in mutations.all {
      guard let index = mutations.find(run), mutations.slots[index].machine.isUndecided else {
        continue
      }
      let (scope, machine) = (mutations.slots[index].job?.scope, mutations.slots[index].machine)
      if machine.isStalled || machine.isRefused || machine.mayBeTakenBack(in: environment) {
        if let scope { heldUp.insert(scope) }
        continue
      }
      guard isPaused(run) else { continue }
      if let scope {
        guard !heldUp.contains(scope) else { continue }
        // The first run of a scope may be newer than the others, and come later in this loop.
        guard !isBehind(index, { $0.isStalled || $0.isRefused }) else { continue }
        if rests, let first = mutations.scopes[scope]?.first, !isPaused(first) { continue }
      }
      paused.insert(run)
    }
    return paused
  }

  private func isPaused(_ run: MutationID) -> Bool {
    mutations.find(run).map { mutations.slots[$0].machine.isPaused } ?? false
  }

  /// Whether the first run in the scope of a run holds up the scope.
  private func isBehind(_ index: Int, _ holdsUp: (MutationMachine) -> Bool) -> Bool {
    guard let scope = mutations.slots[index].job?.scope,
      let first = mutations.scopes[scope]?.first, let index = mutations.find(first)
    else { return false }
    return holdsUp(mutations.slots[index].machine)
  }

  /// Ends the waits for a run that has stopped after an error, and for the later runs in the same scope.
  ///
  /// Callers that started one of these runs still wait.
  mutating func stopped(_ index: Int, _ id: MutationID) {
    for run in lane(of: index, id) { endWaits(for: run) }
  }

  /// Ends the waits for the runs that the outbox cannot write, because its store fails or is slow, and for
  /// the later runs in the same scopes.
  mutating func keepingDelayed() {
    var stalled: Set<String> = []
    for id in mutations.all {
      guard let index = mutations.find(id), mutations.slots[index].machine.isPending else {
        continue
      }
      let (scope, isStalled) = (
        mutations.slots[index].job?.scope, mutations.slots[index].machine.isStalled
      )
      if let scope, isStalled { stalled.insert(scope) }
      let isBehindOne = scope.map { stalled.contains($0) } ?? false
      if isStalled || isBehindOne || isBehind(index, \.isStalled) { endWaits(for: id) }
    }
  }

  /// Ends the waits for a run that the outbox cannot write now, and for the runs behind it.
  mutating func keepingDelayed(_ id: MutationID) {
    guard let index = mutations.find(id), mutations.slots[index].machine.isStalled else { return }
    let isFirst = mutations.slots[index].machine.isFirst
    for run in lane(of: index, id) where isFirst || !(run < id) { endWaits(for: run) }
  }

  private mutating func endWaits(for run: MutationID) {
    guard let index = mutations.find(run) else { return }
    let watching = mutations.slots[index].waiters.filter { $0.role == .watching }
    if !watching.isEmpty {
      mutations.slots[index].waiters.removeAll { $0.role == .watching }
      answer(watching, .settled)
    }
    release(run)
  }

  /// Starts the refetches that waited for a refused run, or for the later runs in the same scope.
  mutating func refused(_ index: Int, _ id: MutationID) {
    guard !mutations.delayedRefetches.isEmpty else { return }
    for run in lane(of: index, id) { release(run) }
  }

  /// Starts the refetches that waited for a run which is being written to the outbox, or for the runs behind
  /// it: the outbox's store may fail for long.
  mutating func keepingBegan(_ index: Int, _ id: MutationID) {
    guard !mutations.delayedRefetches.isEmpty else { return }
    for run in lane(of: index, id) where !(run < id) { release(run) }
  }

  /// The runs in the scope of a run; the run itself if it has no scope.
  private func lane(of index: Int, _ id: MutationID) -> [MutationID] {
    let scope = mutations.slots[index].job?.scope.flatMap { mutations.scopes[$0] }
    return scope.map(Array.init) ?? [id]
  }

  /// Lets delayed refetches no longer wait for a run, and starts those that wait for no other run.
  mutating func release(_ id: MutationID) {
    guard !mutations.delayedRefetches.isEmpty else { return }
    for index in mutations.delayedRefetches.indices {
      mutations.delayedRefetches[index].awaited.remove(id)
    }
    var due: [FetchCause] = []
    // Several reconnects, or several activations, refetch only once: a second refetch would only join the
    // running fetches.
    for sweep in mutations.delayedRefetches
    where sweep.awaited.isEmpty && !due.contains(sweep.cause) {
      due.append(sweep.cause)
    }
    guard !due.isEmpty else { return }
    mutations.delayedRefetches.removeAll(where: \.awaited.isEmpty)
    actionQueue.enqueue(.mutation(.refetchWilling(due)))
  }
}
