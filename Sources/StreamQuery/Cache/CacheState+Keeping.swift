// Durable runs, which an outbox stores, and mutations that send only the newest of their runs.

extension CacheState {
  /// Whether a run that begins has to be written to the outbox first, or is there already.
  func keeping(of mutation: StoredMutation, _ origin: RunOrigin) -> MutationMachine.Keeping {
    if case .store = origin { return .kept }
    if mutation.runOptions.isDurable { return .wanted }
    return mutation.scope != nil && mutations.awaitsKeeper ? .wanted : .none
  }

  /// Adds a run to a scope.
  ///
  /// - Parameters:
  ///   - id: The run.
  ///   - scope: The scope.
  ///   - comesBefore: Whether the run comes before runs that began earlier.
  ///   - transaction: The transaction.
  /// - Returns: Whether the run is the first of its scope.
  mutating func enqueueRun(
    _ id: MutationID,
    _ scope: String?,
    comesBefore: Bool,
    _ transaction: inout Transaction
  ) -> Bool {
    guard comesBefore, let scope, let first = mutations.scopes[scope]?.first,
      let index = mutations.find(first)
    else { return mutations.scopes.join(id, scope) }
    // A run that is already at work stays the first.
    let keepsFirst = !mutations.slots[index].machine.canBeOvertaken
    mutations.scopes[scope, default: RunQueue()].insert(id, keepsFirst: keepsFirst)
    guard mutations.scopes[scope]?.first == id else { return false }
    let actions = mutations.slots[index].machine.overtaken()
    if actions != .none { apply(actions, to: first, &transaction) }
    return true
  }

  /// Lets a run go on, because the outbox has written it or need not write it.
  mutating func kept(_ id: MutationID, _ transaction: inout Transaction) {
    guard let index = mutations.find(id) else { return }
    let actions = mutations.slots[index].machine.kept(in: transaction.environment)
    guard actions != .none else { return }
    apply(actions, to: id, &transaction)
    cancelOlder(before: id, &transaction)
  }

  /// Ends or stops a run with an input that the outbox can never write.
  mutating func keepingFailed(
    _ id: MutationID,
    _ error: ErrorBox,
    isStored: Bool,
    _ transaction: inout Transaction
  ) {
    guard let index = mutations.find(id), let job = mutations.slots[index].job else { return }
    let actions = mutations.slots[index].machine.keepingFailed(
      isStored: isStored,
      in: transaction.environment
    )
    if actions.concluded != nil {
      mutations.slots[index].error = error
    } else if actions.step == .stop {
      transaction.replace(&mutations.slots[index].failureReason, by: error)
      emit(.stopped(error.error), job, transaction)
    }
    apply(actions, to: id, &transaction)
  }

  /// Gives a run another input and other optimistic changes, with which it counts as a new request.
  ///
  /// - Parameters:
  ///   - id: The run.
  ///   - input: Its new input.
  ///   - layers: Its optimistic changes from now on.
  ///   - transaction: The transaction.
  ///   - step: Asks the machine of the run, which allows or refuses this.
  /// - Returns: Whether the machine of the run allowed it.
  mutating func rebase(
    _ id: MutationID,
    _ input: ValueBox,
    _ layers: [LayerPlan],
    _ transaction: inout Transaction,
    _ step: (inout MutationMachine, Environment) -> MutationActions
  ) -> Bool {
    guard let index = mutations.find(id), let job = mutations.slots[index].job else { return false }
    let actions = step(&mutations.slots[index].machine, transaction.environment)
    guard actions != .none else { return false }
    if actions.step == .keep {
      transaction.drop(job.replaceInput(with: input, of: job.revision + 1))
      replaceLayers(layers, of: job, index, &transaction)
    }
    apply(actions, to: id, &transaction)
    return actions.step == .keep
  }

  /// Replaces the optimistic changes of a run.
  mutating func replaceLayers(
    _ layers: [LayerPlan],
    of job: MutationJob,
    _ run: Int,
    _ transaction: inout Transaction
  ) {
    // If the former changes were cleared or removed, they do not come back.
    guard mutations.slots[run].layered.isEmpty || isLaid(job, run) else { return }
    dropLayers(of: job, run, &transaction)
    mutations.slots[run].layered = []
    addLayers(layers, of: job, &transaction)
  }

  /// Replaces the input of a run that has not ended, or a part of it.
  ///
  /// - Parameters:
  ///   - id: The run.
  ///   - input: The input.
  ///   - revision: The revision of the input: the present one, or that with which the outbox has the run.
  ///   - layers: The layers of the input.
  ///   - transaction: The transaction.
  mutating func replaceInput(
    of id: MutationID,
    _ input: ValueBox,
    _ revision: UInt64,
    _ layers: [LayerPlan],
    _ transaction: inout Transaction
  ) {
    guard let index = mutations.find(id), let job = mutations.slots[index].job,
      mutations.slots[index].machine.isPending
    else { return }
    transaction.drop(job.replaceInput(with: input, of: revision))
    if mutations.slots[index].machine.isUndecided {
      replaceLayers(layers, of: job, index, &transaction)
    }
    var actions = MutationActions()
    actions.changed = true
    apply(actions, to: id, &transaction)
  }

  /// Tells the outbox the progress of a durable run.
  mutating func tellKeeper(of index: Int, _ job: MutationJob) {
    guard mutations.slots[index].machine.isPending else { return }
    let progress = RunProgress(
      phase: mutations.slots[index].machine.progress,
      failureCount: mutations.slots[index].machine.failureCount,
      failureReason: mutations.slots[index].failureReason
    )
    actionQueue.enqueue(.mutation(.kept(job, progress)))
  }

  mutating func cancel(_ id: MutationID, _ transaction: inout Transaction) {
    input(run: id, &transaction) { $0.cancelRequested(in: $1) }
  }

  // MARK: Pacing

  /// Adds a run to the runs for the same item, if the mutation sends only the newest of them.
  mutating func joinCoalescing(_ id: MutationID, _ mutation: StoredMutation) {
    // The job's own key is used, because the table of runs retains that key already.
    guard mutation.isNewestOnly, let job = mutations.slots[Int(id.index)].job else { return }
    let runs = PacedRuns(with: job)
    mutations.paced[runs, default: RunQueue()].insert(id)
  }

  /// Cancels the older runs for the same item, because this run may be sent now.
  ///
  /// A run that is being sent is not cancelled: see ``yieldToNewer(_:_:)``. While this run may still be taken
  /// back, it cancels only runs that may be taken back as well. If it cancelled another one and were then
  /// taken back itself, neither would be sent.
  ///
  /// - Complexity: O(*n*) in the number of older runs; each is visited once, except the one that is
  ///   being sent.
  mutating func cancelOlder(before id: MutationID, _ transaction: inout Transaction) {
    guard !mutations.paced.isEmpty, let index = mutations.find(id),
      mutations.slots[index].machine.takesPrecedence,
      let job = mutations.slots[index].job, let mutation = job.mutation, mutation.isNewestOnly
    else { return }
    let runs = PacedRuns(with: job)
    // The list is copied, because runs that end leave the queue.
    let older = Array(mutations.paced[runs, default: RunQueue()].prefix { $0 < id })
    let environment = transaction.environment
    let isTentative = mutations.slots[index].machine.mayBeTakenBack(in: environment)
    for run in older {
      if let old = mutations.find(run) {
        let machine = mutations.slots[old].machine
        if machine.isAtWork { continue }
        if isTentative, !machine.mayBeTakenBack(in: environment) { continue }
      }
      mutations.paced[runs]?.remove(run)
      noteDiscarded(run, by: id)
      cancel(run, &transaction)
    }
  }

  /// Requests a warning if a run is about to replace another one, and no key says that both are for one item.
  private mutating func noteDiscarded(_ older: MutationID, by newer: MutationID) {
    guard let old = mutations.find(older), let new = mutations.find(newer),
      mutations.slots[old].machine.isUndecided,
      let discarded = mutations.slots[old].job, let job = mutations.slots[new].job,
      job.pacingKey == nil
    else { return }
    let isElsewhere = mutations.slots[old].layered.contains { entry in
      !mutations.slots[new].layered.contains(entry)
    }
    actionQueue.enqueue(.mutation(.discarded(discarded, by: job, changesOthers: isElsewhere)))
  }

  /// Cancels a run after a failed attempt, if a newer run for the same item may be sent in its place.
  ///
  /// - Complexity: O(*n*) in the number of newer runs.
  mutating func yieldToNewer(_ id: MutationID, _ transaction: inout Transaction) {
    guard !mutations.paced.isEmpty, let index = mutations.find(id),
      mutations.slots[index].machine.rests,
      let job = mutations.slots[index].job, let mutation = job.mutation, mutation.isNewestOnly,
      let queue = mutations.paced[PacedRuns(with: job)]
    else { return }
    for newer in queue.reversed() {
      guard newer > id else { return }
      guard let place = mutations.find(newer), mutations.slots[place].machine.takesPrecedence,
        !mutations.slots[place].machine.mayBeTakenBack(in: transaction.environment)
      else { continue }
      return cancelOlder(before: newer, &transaction)
    }
  }

  /// Removes a run that is over from the runs for the same item.
  mutating func leaveCoalescing(_ id: MutationID, _ job: MutationJob) {
    guard !mutations.paced.isEmpty else { return }
    let runs = PacedRuns(with: job)
    mutations.paced[runs]?.remove(id)
    if mutations.paced[runs]?.isEmpty == true { mutations.paced[runs] = nil }
  }
}

/// The origin of a run.
enum RunOrigin {
  /// The run begins in this process; its identity is made from these random numbers.
  case here(random: (high: UInt64, low: UInt64))
  /// The run comes from an archive.
  case archive(RunIdentity, revision: UInt64, submittedAt: Timestamp)
  /// An earlier process stored the run; its number is below those of all runs of this process.
  case store(RunIdentity, revision: UInt64, serial: UInt64, submittedAt: Timestamp)

  /// The time when the run was submitted; `nil` if it begins now.
  var submittedAt: Timestamp? {
    switch self {
    case .here: nil
    case .archive(_, _, let submittedAt), .store(_, _, _, let submittedAt): submittedAt
    }
  }

  /// Returns the identity of the run.
  ///
  /// - Parameters:
  ///   - serial: The number of the run within the client.
  ///   - now: The time of the transaction.
  /// - Returns: The identity.
  func identity(serial: UInt64, at now: Timestamp) -> RunIdentity {
    switch self {
    case .here(let random): RunIdentity(random: random, serial: serial, date: now.date)
    case .archive(let identity, _, _), .store(let identity, _, _, _): identity
    }
  }

  /// The number of earlier changes of the input.
  var revision: UInt64 {
    switch self {
    case .here: 0
    case .archive(_, let revision, _), .store(_, let revision, _, _): revision
    }
  }

  /// The number of the run, if an earlier process has given it one.
  var serial: UInt64? {
    if case .store(_, _, let serial, _) = self { serial } else { nil }
  }
}
