extension CacheState {
  /// Makes a run and starts it; if `isHeld`, the run is paused first, until it is released.
  mutating func startRun(
    _ mutation: StoredMutation,
    _ origin: RunOrigin,
    input: ValueBox,
    waiter: Waiter?,
    layers: [LayerPlan],
    isHeld: Bool = false,
    _ transaction: inout Transaction
  ) -> MutationID {
    let id = mutations.makeSlot(origin.serial)
    let index = Int(id.index)
    let job = MutationJob(
      cache: self.id,
      id: id,
      identity: origin.identity(serial: id.serial, at: transaction.environment.now),
      mutation: mutation,
      // A mutation is often created anew for each run, so runs reuse the equal key in the table.
      key: mutations.runs.index(forKey: mutation.key).map { mutations.runs[$0].key }
        ?? mutation.key,
      input: input,
      revision: origin.revision,
      submittedAt: origin.submittedAt ?? transaction.environment.now
    )
    mutations.slots[index].job = job
    lendPriority(mutation.scope, for: job, &transaction)
    if let waiter { mutations.slots[index].waiters = Few(waiter) }
    let isFirst = enqueueRun(id, mutation.scope, comesBefore: origin.serial != nil, &transaction)
    mutations.slots[index].machine = MutationMachine(
      runOptions: mutation.runOptions,
      isFirst: isFirst,
      isHeld: isHeld,
      keeping: keeping(of: mutation, origin),
      submittedAt: job.submittedAt.instant,
      at: transaction.environment.now
    )
    let newest = mutations.runs[mutation.key]?.last
    mutations.runs[mutation.key, default: RunQueue()].insert(id)
    mutations.pendingCount += 1
    if mutations.runs[mutation.key]?.last == id {
      moveStreams(of: mutation.key, from: newest, to: id, transaction)
    }
    joinCoalescing(id, mutation)
    emit(.started, job, transaction)
    addLayers(layers, of: job, &transaction)
    let actions = mutations.slots[index].machine.begun(in: transaction.environment)
    apply(actions, to: id, &transaction)
    if mutations.find(id) != nil { cancelOlder(before: id, &transaction) }
    return id
  }

  /// Makes the runs of a scope as urgent as a run that will join the scope, and so wait for them.
  ///
  /// - Complexity: O(*n*) in the number of less urgent runs. A run that is urgent enough has already
  ///   raised the runs before it.
  private func lendPriority(
    _ scope: String?,
    for job: MutationJob,
    _ transaction: inout Transaction
  ) {
    guard let scope, let queue = mutations.scopes[scope], let priority = job.tasks?.priority
    else { return }
    for run in queue.reversed() {
      guard let index = mutations.find(run), let tasks = mutations.slots[index].job?.tasks,
        let present = tasks.priority, present < priority
      else { return }
      transaction.lend(to: tasks)
    }
  }

  /// Tells the machine of a run a fact, and carries out its decisions.
  ///
  /// - Returns: The decisions; none if there is no such run.
  @discardableResult
  mutating func input(
    run id: MutationID,
    _ transaction: inout Transaction,
    _ fact: (inout MutationMachine, Environment) -> MutationActions
  ) -> MutationActions {
    guard let index = mutations.find(id) else { return .none }
    let actions = fact(&mutations.slots[index].machine, transaction.environment)
    apply(actions, to: id, &transaction)
    return actions
  }

  /// Carries out the decisions of a run's machine.
  mutating func apply(
    _ actions: MutationActions,
    to id: MutationID,
    _ transaction: inout Transaction
  ) {
    guard let index = mutations.find(id), let job = mutations.slots[index].job else { return }
    let attempt = mutations.slots[index].machine.failureCount
    switch actions.step {
    case .cancel: actionQueue.enqueue(.mutation(.cancel(job)))
    case .prepare: actionQueue.enqueue(.mutation(.prepare(job)))
    case .perform:
      emit(.performing(attempt: attempt), job, transaction)
      actionQueue.enqueue(.mutation(.perform(job, attempt: attempt)))
    case .keep: actionQueue.enqueue(.mutation(.keep(job)))
    case .pause: emit(.paused, job, transaction)
    case .stop, nil: break
    }
    if let ending = actions.concluded { conclude(ending, index, job, &transaction) }
    if actions.changed, mutations.slots[index].machine.runOptions.isDurable {
      tellKeeper(of: index, job)
    }
    if actions.step == .stop {
      stopped(index, id)
    } else if actions.changed, mutations.slots[index].machine.isRefused {
      refused(index, id)
    } else if actions.step == .keep {
      keepingBegan(index, id)
    }
    if let ending = actions.ended { endRun(ending, index, job, &transaction) }
    let settles = actions.concluded != nil && actions.ended == nil
    if actions.step == .prepare || actions.step == .perform || settles
      ? othersPerform(&transaction) : mutations.slots[index].machine.rests, let tasks = job.tasks
    {
      transaction.prepareTask(tasks)
    }
    if actions.changed, mutations.slots[index].snapshot == nil {
      mutationsChanged(news(of: index))
    } else if actions.changed, let old = mutations.refresh(index) {
      transaction.drop(old)
      mutationsChanged(news(of: index))
    }
    if actions.expired {
      forget(id, &transaction)
    } else {
      deadlines.set(mutations.slots[index].machine.nextDeadline, run: index)
    }
  }

  /// Changes the layers of a run that has an outcome, and requests its callbacks.
  ///
  /// The layers change first, so that the callbacks see the resulting data.
  private mutating func conclude(
    _ ending: MutationMachine.Ending,
    _ index: Int,
    _ job: MutationJob,
    _ transaction: inout Transaction
  ) {
    switch ending {
    case .succeeded: keepLayers(of: job, index, &transaction)
    case .failed, .cancelled: dropLayers(of: job, index, &transaction)
    }
    guard mutations.slots[index].machine.isPending else { return }
    actionQueue.enqueue(.mutation(.settle(job, outcome(ending, index))))
  }

  private func outcome(_ ending: MutationMachine.Ending, _ index: Int) -> WaitOutcome {
    switch ending {
    case .succeeded: mutations.slots[index].output.map(WaitOutcome.value) ?? .cancelled
    case .failed: mutations.slots[index].error.map { .failure($0.error) } ?? .cancelled
    case .cancelled: .cancelled
    }
  }

  private mutating func endRun(
    _ ending: MutationMachine.Ending,
    _ index: Int,
    _ job: MutationJob,
    _ transaction: inout Transaction
  ) {
    let id = job.id
    mutations.pendingCount -= 1
    let outcome = outcome(ending, index)
    switch outcome {
    case .value: emit(.succeeded, job, transaction)
    case .failure(let error):
      emit(.failed(error), job, transaction)
      transaction.replace(&mutations.slots[index].failureReason, by: mutations.slots[index].error)
    case .cancelled, .settled: emit(.cancelled, job, transaction)
    }
    settleLayers(of: job, index, &transaction)
    let waiters = mutations.slots[index].waiters
    mutations.slots[index].waiters = Few()
    job.retire(into: &transaction.garbage)
    // The outbox learns the end first, because callers and the next run may depend on what it has stored. It
    // may also have a record of a run that is not durable, if an archive brought the run.
    let isDurable = mutations.slots[index].machine.runOptions.isDurable
    if isDurable || mutations.archived.contains(job.identity) {
      let wasKept = isDurable && !mutations.slots[index].machine.hasFailedUnkept
      actionQueue.enqueue(.mutation(.over(job, ending, wasDurable: wasKept)))
    }
    answer(waiters, outcome)
    leaveCoalescing(id, job)
    if let next = mutations.scopes.leave(id, job.scope) {
      input(run: next, &transaction) { $0.reachedFront(in: $1) }
    }
    release(id)
  }

  /// Removes a run from the table.
  mutating func forget(_ id: MutationID, _ transaction: inout Transaction) {
    guard let index = mutations.find(id) else { return }
    let slot = mutations.slots[index]
    let news = news(of: index)
    deadlines.set(nil, run: index)
    if let key = slot.job?.key {
      let wasNewest = mutations.runs[key]?.last == id
      let newest = forget(id, of: key, &transaction)
      if wasNewest { moveStreams(of: key, from: nil, to: newest, transaction) }
    }
    if let handle = slot.handle { mutations.followers[handle]?.run = nil }
    transaction.drop(slot.job?.tasks?.end())
    slot.job?.dropGate(into: &transaction.garbage)
    transaction.drop(slot.job)
    transaction.drop(slot.output)
    transaction.drop(slot.error)
    transaction.drop(slot.failureReason)
    transaction.drop(slot.snapshot)
    mutations.freeSlot(of: id)
    if mutations.slots.count > bounds.leastSlots, mutations.all.isEmpty { bounds.mayShrink = true }
    mutationsChanged(news)
  }

  /// Removes a run from the list of its mutation, and returns the run that is the newest now.
  private mutating func forget(
    _ id: MutationID,
    of key: EntryKey,
    _ transaction: inout Transaction
  ) -> MutationID? {
    guard let position = mutations.runs.index(forKey: key) else { return nil }
    mutations.runs.values[position].remove(id)
    if let newest = mutations.runs.values[position].last { return newest }
    // The dictionary's own key may hold the last reference to the user's key parts, which must not
    // be released under the lock.
    transaction.garbage.collect(value: mutations.runs[position].key.storage)
    mutations.runs.remove(at: position)
    return nil
  }

  /// Ends every run and calls no callbacks: running work is cancelled, and its result ignored.
  ///
  /// - Parameters:
  ///   - sparesKept: Whether durable runs that have not ended go on.
  ///   - transaction: The transaction.
  mutating func clearMutations(sparesKept: Bool, _ transaction: inout Transaction) {
    var next: [MutationID] = []
    // The refetches that a reconnect or an activation delayed for these runs are dropped: the entries are
    // cleared.
    mutations.delayedRefetches = []
    for id in mutations.all {
      guard let index = mutations.find(id), let job = mutations.slots[index].job else { continue }
      let isPending = mutations.slots[index].machine.isPending
      if isPending, sparesKept, mutations.slots[index].machine.runOptions.isDurable { continue }
      if !isPending { keep(index) }
      if isPending {
        let mayHaveRecord = sparesKept && mutations.archived.contains(job.identity)
        // The work of a paused run is not running, so an archive that has the run may restore it.
        if mutations.slots[index].machine.isPaused { mutations.archived.remove(job.identity) }
        actionQueue.enqueue(.mutation(.cancel(job)))
        if mayHaveRecord {
          // The outbox may have a record of the run. Unless the outcome is decided, the outbox is told that
          // the run failed, and then begins a durable run from the record.
          let ending = mutations.slots[index].machine.decided ?? .failed
          actionQueue.enqueue(.mutation(.over(job, ending, wasDurable: false)))
        }
        // The run leaves its scope, so the runs behind it no longer wait for work that this run waits for.
        job.tasks?.workEnded()
        mutations.pendingCount -= 1
        emit(.cancelled, job, transaction)
        dropLayers(of: job, index, &transaction)
        answer(mutations.slots[index].waiters, .cancelled)
        if let first = mutations.scopes.leave(id, job.scope) { next.append(first) }
        leaveCoalescing(id, job)
        release(id)
      }
      forget(id, &transaction)
    }
    // The loop above has removed most runs in `next`.
    for id in next { input(run: id, &transaction) { $0.reachedFront(in: $1) } }
  }

  /// Enqueues news for the observers of runs, in the order of transactions.
  mutating func mutationsChanged(_ news: MutationNews) {
    guard case .mutation(.news(var all)) = actionQueue.last else {
      return actionQueue.enqueue(.mutation(.news([news])))
    }
    guard all.last != news else { return }
    // The list is taken out of the action queue, so that it grows in place and is not copied.
    actionQueue.removeLast()
    all.append(news)
    actionQueue.enqueue(.mutation(.news(all)))
  }

  private func news(of index: Int) -> MutationNews {
    MutationNews(
      mutation: mutations.slots[index].job?.key,
      handle: mutations.slots[index].handle
    )
  }

  /// Handles a deadline of a run: the end of a pause, or of its retention.
  mutating func timeReached(mutation index: Int, _ transaction: inout Transaction) {
    let environment = environment(ofRun: index, transaction)
    let actions = mutations.slots[index].machine.timeReached(in: environment)
    let id = mutations.id(of: index)
    apply(actions, to: id, &transaction)
    cancelOlder(before: id, &transaction)
  }

  /// The next run of a scope to begin, as the target of a wait.
  func nextRun(in scope: String?) -> WorkID {
    .run(cache: id, serial: mutations.lastSerial + 1, scope: scope)
  }

  /// Reports a step of a run, if there are listeners.
  mutating func emit(
    _ step: QueryEvent.MutationStep,
    _ job: MutationJob,
    _ transaction: Transaction
  ) {
    guard reports.isHeard else { return }
    recordStep(step, job, transaction)
    guard emitsEvents else { return }
    var event = makeEvent(
      .mutation(step),
      job.key.key,
      at: transaction.environment.now,
      since: job.submittedAt
    )
    event.meta = job.meta
    actionQueue.enqueue(.emit(event))
  }
}
