extension CacheState {
  /// Makes a run and starts it; a run from an archive was submitted earlier.
  mutating func begin(
    _ plan: ResolvedMutation,
    _ origin: RunOrigin,
    input: ValueBox,
    waiter: Waiter?,
    layers: [PlannedLayer],
    isHeld: Bool = false,
    _ turn: inout Turn
  ) -> MutationID {
    let id = mutations.makeSlot()
    let index = Int(id.index)
    let job = MutationJob(
      cache: self.id,
      id: id,
      identity: origin.identity(serial: id.serial, at: turn.world.now),
      plan: plan,
      // Equal keys share one instance: mutations are often made again for each run.
      key: mutations.runs.index(forKey: plan.key).map { mutations.runs[$0].key } ?? plan.key,
      input: input,
      submittedAt: origin.submittedAt ?? turn.world.now
    )
    mutations.slots[index].job = job
    hurry(plan.scope, for: job, &turn)
    if let waiter { mutations.slots[index].waiters = [waiter] }
    let isFirst = mutations.lanes.join(id, plan.scope)
    mutations.slots[index].machine = MutationMachine(
      terms: plan.terms,
      isFirst: isFirst,
      isHeld: isHeld,
      at: turn.world.now
    )
    let newest = mutations.runs[plan.key]?.last
    mutations.runs[plan.key, default: MutationLine()].append(id)
    mutations.pendingCount += 1
    moveStreams(of: plan.key, from: newest, to: id, turn)
    emit(.started, job, turn)
    lay(layers, of: job, &turn)
    let effects = mutations.slots[index].machine.begun(in: turn.world)
    apply(effects, to: id, &turn)
    return id
  }

  /// Makes the runs in a lane as urgent as a run that is about to join it, because it waits for
  /// them.
  ///
  /// - Complexity: O(*n*) in the number of less urgent runs. A run that is as urgent has already
  ///   told those before it.
  private func hurry(_ scope: String?, for job: MutationJob, _ turn: inout Turn) {
    guard let scope, let priority = job.tasks?.priority else { return }
    for run in mutations.lanes.runs(in: scope).reversed() {
      guard let index = mutations.find(run), let tasks = mutations.slots[index].job?.tasks,
        let present = tasks.priority, present < priority
      else { return }
      turn.lend(to: tasks)
    }
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
    let settles = effects.concluded != nil && effects.ended == nil
    if effects.prepares || effects.performs || settles
      ? othersPerform : mutations.slots[index].machine.rests, let tasks = job.tasks
    {
      turn.standBy(tasks)
    }
    if effects.changed, mutations.slots[index].frame == nil {
      mutationsChanged(news(of: index))
    } else if effects.changed, let old = mutations.refresh(index) {
      turn.drop(old)
      mutationsChanged(news(of: index))
    }
    if effects.expired {
      forget(id, &turn)
    } else {
      setDeadline(mutations.slots[index].machine.nextDeadline, mutation: index)
    }
  }

  /// The outcome of a run is decided: layers first, so that callbacks see the world as it is now.
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
    turn.drop(job.retire())
    answer(waiters, outcome)
    leaveLane(id, job.scope, &turn)
  }

  private mutating func leaveLane(_ id: MutationID, _ scope: String?, _ turn: inout Turn) {
    let next = mutations.lanes.leave(id, scope)
    if let next, let index = mutations.find(next) {
      let effects = mutations.slots[index].machine.reachedFront(in: turn.world)
      apply(effects, to: next, &turn)
    }
    release(id)
  }

  /// Removes a run from the table.
  mutating func forget(_ id: MutationID, _ turn: inout Turn) {
    guard let index = mutations.find(id) else { return }
    let slot = mutations.slots[index]
    let news = news(of: index)
    setDeadline(nil, mutation: index)
    if let key = slot.job?.key {
      let wasNewest = mutations.runs[key]?.last == id
      let newest = forget(id, of: key, &turn)
      if wasNewest { moveStreams(of: key, from: nil, to: newest, turn) }
    }
    if let handle = slot.handle { mutations.followers[handle]?.run = nil }
    turn.drop(slot.job?.tasks?.end())
    turn.drop(slot.job)
    turn.drop(slot.output)
    turn.drop(slot.error)
    turn.drop(slot.failureReason)
    turn.drop(slot.frame)
    mutations.freeSlot(of: id)
    if mutations.slots.count > leastSlots, mutations.all.isEmpty { mayShrink = true }
    mutationsChanged(news)
  }

  /// Removes a run from the list of its mutation, and reports which one is the newest now.
  private mutating func forget(
    _ id: MutationID,
    of key: EntryKey,
    _ turn: inout Turn
  ) -> MutationID? {
    guard let place = mutations.runs.index(forKey: key) else { return nil }
    mutations.runs.values[place].remove(id)
    if let newest = mutations.runs.values[place].last { return newest }
    // The dictionary's own key may be the last reference to the user's key parts.
    turn.drop(mutations.runs[place].key.storage)
    mutations.runs.remove(at: place)
    return nil
  }

  /// Ends every run without callbacks: work that is still running is cancelled and its result
  /// ignored.
  mutating func clearMutations(_ turn: inout Turn) {
    // Cleared entries are not refetched at once, whatever edge waited for the runs.
    mutations.held = []
    for id in mutations.all {
      guard let index = mutations.find(id), let job = mutations.slots[index].job else { continue }
      let isPending = mutations.slots[index].machine.isPending
      if !isPending { keep(index) }
      if isPending {
        // No work of a paused run is running: an archive that has it may restore it.
        if mutations.slots[index].machine.isPaused { mutations.archived.remove(job.identity) }
        errands.append(.mutation(.cancel(job)))
        // It is no longer in a lane: no run waits for what its work still waits for.
        job.tasks?.workEnded()
        mutations.pendingCount -= 1
        emit(.cancelled, job, turn)
        dropLayers(of: job, index, &turn)
        answer(mutations.slots[index].waiters, .cancelled)
        // The runs behind it are removed as well: none of them moves to the front.
        _ = mutations.lanes.leave(id, job.scope)
        release(id)
      }
      forget(id, &turn)
    }
  }

  /// Makes the followers of a run look at the change, in the order of turns.
  mutating func mutationsChanged(_ news: MutationNews) {
    guard case .mutation(.news(var all)) = errands.last else {
      return errands.append(.mutation(.news([news])))
    }
    guard all.last != news else { return }
    // Taken out of the outbox so that it grows in place.
    errands.removeLast()
    all.append(news)
    errands.append(.mutation(.news(all)))
  }

  private func news(of index: Int) -> MutationNews {
    MutationNews(
      mutation: mutations.slots[index].job?.key,
      handle: mutations.slots[index].handle
    )
  }

  /// The deadline of a run was reached.
  mutating func timeReached(mutation index: Int, _ turn: inout Turn) {
    let effects = mutations.slots[index].machine.timeReached(in: turn.world)
    apply(effects, to: mutations.id(of: index), &turn)
  }
}
