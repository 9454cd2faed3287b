extension CacheState {
  /// Makes a run and begins it; one that comes out of an archive was submitted before.
  mutating func begin(
    _ plan: ResolvedMutation,
    input: ValueBox,
    waiter: Waiter?,
    layers: [PlannedLayer],
    submittedAt: Timestamp? = nil,
    isHeld: Bool = false,
    caller: MutationWait? = nil,
    _ turn: inout Turn
  ) -> MutationID {
    let id = mutations.makeSlot()
    let index = Int(id.index)
    let job = MutationJob(
      id: id,
      plan: plan,
      input: input,
      submittedAt: submittedAt ?? turn.world.now,
      caller: caller
    )
    mutations.slots[index].job = job
    if let waiter { mutations.slots[index].waiters = [waiter] }
    let isFirst = mutations.lanes.join(id, plan.scope)
    mutations.slots[index].machine = MutationMachine(
      terms: plan.terms,
      isFirst: isFirst,
      isHeld: isHeld,
      at: turn.world.now
    )
    mutations.runs[plan.key, default: MutationLine()].append(id)
    mutations.pendingCount += 1
    for follower in mutations.followers.keys.sorted()
    where mutations.followers[follower]?.identity == plan.key {
      follow(follower, id, &turn)
    }
    emit(.started, job, turn)
    lay(layers, of: job, &turn)
    let effects = mutations.slots[index].machine.begun(in: turn.world)
    apply(effects, to: id, &turn)
    return id
  }

  /// Carries out what the machine of a run decided.
  mutating func apply(_ effects: MutationEffects, to id: MutationID, _ turn: inout Turn) {
    guard let index = mutations.find(id), let job = mutations.slots[index].job else { return }
    let attempt = mutations.slots[index].machine.failureCount
    if effects.cancels { errands.append(.mutation(.cancel(job))) }
    if effects.prepares { errands.append(.mutation(.prepare(job))) }
    if effects.performs {
      emit(.performing(attempt: attempt), job, turn)
      errands.append(.mutation(.perform(job, attempt: attempt)))
    }
    if effects.paused { emit(.paused, job, turn) }
    if let ending = effects.concluded { conclude(ending, index, job, &turn) }
    if let ending = effects.ended { end(ending, index, job, &turn) }
    if effects.changed, mutations.slots[index].frame == nil {
      mutationsChanged()
    } else if effects.changed, let old = mutations.refresh(index) {
      turn.drop(old)
      mutationsChanged()
    }
    if effects.expired {
      forget(id, &turn)
    } else {
      setDeadline(mutations.slots[index].machine.nextDeadline, mutation: index)
    }
  }

  /// It is decided how a run ends: layers first, so that callbacks see the world as it is now.
  private mutating func conclude(
    _ ending: MutationMachine.Ending,
    _ index: Int,
    _ job: MutationJob,
    _ turn: inout Turn
  ) {
    switch ending {
    case .succeeded: keepLayers(of: job, index, &turn)
    case .failed, .cancelled: dropLayers(of: job, index, &turn)
    }
    guard mutations.slots[index].machine.isPending else { return }
    errands.append(.mutation(.settle(job, outcome(ending, index))))
  }

  private func outcome(_ ending: MutationMachine.Ending, _ index: Int) -> WaitOutcome {
    switch ending {
    case .succeeded: mutations.slots[index].output.map(WaitOutcome.value) ?? .cancelled
    case .failed: mutations.slots[index].error.map { .failure($0.error) } ?? .cancelled
    case .cancelled: .cancelled
    }
  }

  private mutating func end(
    _ ending: MutationMachine.Ending,
    _ index: Int,
    _ job: MutationJob,
    _ turn: inout Turn
  ) {
    let id = job.id
    mutations.pendingCount -= 1
    let outcome = outcome(ending, index)
    switch outcome {
    case .value: emit(.succeeded, job, turn)
    case .failure(let error):
      emit(.failed(error), job, turn)
      turn.drop(mutations.slots[index].failureReason)
      mutations.slots[index].failureReason = mutations.slots[index].error
    case .cancelled, .settled: emit(.cancelled, job, turn)
    }
    settleLayers(of: job, index, &turn)
    let waiters = mutations.slots[index].waiters
    mutations.slots[index].waiters = []
    mutations.slots[index].resumers = []
    if !waiters.isEmpty { errands.append(.settle(waiters, outcome)) }
    leaveLane(id, job.plan.scope, &turn)
  }

  private mutating func leaveLane(_ id: MutationID, _ scope: String?, _ turn: inout Turn) {
    let next = mutations.lanes.leave(id, scope)
    if let next, let index = mutations.find(next) {
      let effects = mutations.slots[index].machine.reachedFront(in: turn.world)
      apply(effects, to: next, &turn)
    }
    release(id)
  }

  /// Takes a run out of the table.
  mutating func forget(_ id: MutationID, _ turn: inout Turn) {
    guard let index = mutations.find(id) else { return }
    let slot = mutations.slots[index]
    setDeadline(nil, mutation: index)
    if let key = slot.job?.plan.key {
      let newest = forget(id, of: key, &turn)
      for follower in mutations.followers.keys.sorted()
      where mutations.followers[follower]?.run == id {
        mutations.followers[follower]?.run = nil
        guard let newest, mutations.followers[follower]?.identity == key else { continue }
        follow(follower, newest, &turn)
      }
    }
    turn.drop(slot.job)
    turn.drop(slot.output)
    turn.drop(slot.error)
    turn.drop(slot.failureReason)
    turn.drop(slot.frame)
    mutations.freeSlot(of: id)
    mutationsChanged()
  }

  /// Takes a run off the list of its mutation, and says which one is the newest now.
  private mutating func forget(
    _ id: MutationID,
    of key: EntryKey,
    _ turn: inout Turn
  ) -> MutationID? {
    guard let place = mutations.runs.index(forKey: key) else { return nil }
    mutations.runs.values[place].remove(id)
    if let newest = mutations.runs.values[place].last { return newest }
    // The dictionary's own key may be the last to hold parts that are the user's.
    turn.drop(mutations.runs[place].key.storage)
    mutations.runs.remove(at: place)
    return nil
  }

  /// Ends every run without callbacks: what is still at work is cancelled and ignored.
  mutating func clearMutations(_ turn: inout Turn) {
    // What is cleared is not refetched at once, whatever edge waited for the runs.
    mutations.held = []
    for id in mutations.all {
      guard let index = mutations.find(id), let job = mutations.slots[index].job else { continue }
      let isPending = mutations.slots[index].machine.isPending
      if !isPending { keep(id, index) }
      if isPending {
        errands.append(.mutation(.cancel(job)))
        mutations.pendingCount -= 1
        emit(.cancelled, job, turn)
        dropLayers(of: job, index, &turn)
        errands.append(.settle(mutations.slots[index].waiters, .cancelled))
        // Those behind it go as well: nobody becomes first.
        _ = mutations.lanes.leave(id, job.plan.scope)
        release(id)
      }
      forget(id, &turn)
    }
  }

  mutating func mutationsChanged() {
    if case .mutation(.news) = errands.last { return }
    errands.append(.mutation(.news))
  }

  /// The deadline of a run came.
  mutating func timeReached(mutation index: Int, _ turn: inout Turn) {
    let effects = mutations.slots[index].machine.timeReached(in: turn.world)
    apply(effects, to: mutations.id(of: index), &turn)
  }

  // MARK: Followers

  /// Lets the handles of a run that is over go on to show how it ended.
  private mutating func keep(_ id: MutationID, _ index: Int) {
    let frame = mutations.frame(index)
    for (follower, follows) in mutations.followers
    where follows.run == id && follows.identity == nil {
      mutations.followers[follower]?.kept = frame
    }
  }

  /// Makes a follower; a stream of a mutation begins with its newest run.
  mutating func makeFollower(_ identity: EntryKey?, _ turn: inout Turn) -> Int {
    mutations.lastFollower += 1
    let follower = mutations.lastFollower
    mutations.followers[follower] = MutationFollower(identity: identity)
    if let run = identity.flatMap({ mutations.runs[$0]?.last }) { follow(follower, run, &turn) }
    return follower
  }

  /// Turns a follower to another run, or to none.
  mutating func follow(_ follower: Int, _ run: MutationID?, _ turn: inout Turn) {
    guard mutations.followers[follower] != nil else { return }
    if let run, let index = mutations.find(run) {
      mutations.slots[index].machine.followed()
      setDeadline(mutations.slots[index].machine.nextDeadline, mutation: index)
    }
    let old = mutations.followers[follower]?.run
    turn.drop(mutations.followers[follower]?.kept)
    mutations.followers[follower]?.kept = nil
    mutations.followers[follower]?.run = run
    if let old { unfollow(old, turn) }
  }

  /// Gives the run that a follower shows another plan for what is left of it.
  mutating func replan(_ follower: Int, _ plan: ResolvedMutation, _ turn: inout Turn) {
    guard let run = mutations.followers[follower]?.run, let index = mutations.find(run),
      mutations.slots[index].machine.isPending, let job = mutations.slots[index].job
    else { return }
    let next = plan.takingOver(job.plan)
    turn.drop(job.replace(with: next))
    mutations.slots[index].machine.replanned(next.terms)
  }

  mutating func removeFollower(_ follower: Int, _ turn: inout Turn) {
    guard let gone = mutations.followers.removeValue(forKey: follower) else { return }
    turn.drop(gone.identity?.storage)
    turn.drop(gone.kept)
    if let run = gone.run { unfollow(run, turn) }
  }

  private mutating func unfollow(_ run: MutationID, _ turn: Turn) {
    guard let index = mutations.find(run) else { return }
    mutations.slots[index].machine.unfollowed(in: turn.world)
    setDeadline(mutations.slots[index].machine.nextDeadline, mutation: index)
  }
}
