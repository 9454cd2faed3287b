// If the number of concurrent fetches is limited, an attempt begins when there is room for it.
//
// An attempt takes room from its beginning to its answer. A fetch that shows parts as they come gives up its
// room with the first part: from then on it is a connection and not a request. A fetch that is cancelled
// gives up its room at once. Between its attempts, and while it is offline, a fetch takes no room.
//
// Fetches that need each other must not wait for each other's room. If a fetch waits for another fetch, or
// observes its entry, the other one runs at once, in the room of the first. A fetch that waits for a mutation
// gives up its room, because the mutation may fetch anything.
extension CacheState {
  /// Limits the number of fetches that run at the same time from now on.
  mutating func limitFetches(to limit: Int) {
    extensions.fetchLimiter = FetchLimiter(limit: limit)
    extensions.active.insert(.fetchLimiter)
  }

  /// The numbers of fetches that run within the limit and that wait for room; zero without a limit.
  var limitedFetchCounts: (running: Int, waiting: Int) {
    (extensions.fetchLimiter?.runningCount ?? 0, extensions.fetchLimiter?.waitingCount ?? 0)
  }

  /// Runs an attempt of an entry's fetch, as soon as there is room.
  mutating func startWhenAdmitted(_ job: FetchJob, _ index: Int, _ transaction: inout Transaction) {
    let begins = !extensions.active.contains(.fetchLimiter) || acquireFetch(index)
    if begins { actionQueue.enqueue(.start(job, attempt: slots[index].machine.failureCount)) }
    // If there is no room now, another thread begins the attempt later, but in the context of this
    // caller.
    if !begins || othersPerform(&transaction) { transaction.prepareTask(job.tasks) }
  }

  private mutating func acquireFetch(_ index: Int) -> Bool {
    let (id, urgency) = (id(of: index), urgency(of: index))
    return extensions.fetchLimiter?.acquire(id, urgency) == true
  }

  /// Gives up the room of a fetch, or its wait for room, because its attempt has ended or must not begin.
  @inline(__always)
  mutating func releaseFetch(_ index: Int) {
    guard extensions.active.contains(.fetchLimiter) else { return }
    let id = id(of: index)
    extensions.fetchLimiter?.release(id)
  }

  /// Whether an attempt of an entry's fetch waits until there is room for it.
  func waitsForTurn(_ index: Int) -> Bool {
    guard extensions.active.contains(.fetchLimiter) else { return false }
    return extensions.fetchLimiter?.isWaiting(id(of: index)) == true
  }

  /// Gives up the room of a fetch that is about to wait for runs of mutations.
  ///
  /// - Parameter caller: The fetch or the run that made the call.
  mutating func releaseFetch(of caller: @autoclosure () -> TaskChain?) {
    guard extensions.active.contains(.fetchLimiter), let caller = caller(),
      case .fetch(id, let entry) = caller.work,
      let index = find(entry), slots[index].job?.tasks === caller
    else { return }
    releaseFetch(index)
  }

  /// Lets an entry's fetch run without room of its own, if another fetch waits for it or observes the entry.
  @inline(__always)
  mutating func exempt(_ index: Int, for transaction: Transaction) {
    if extensions.active.contains(.fetchLimiter), let caller = transaction.caller {
      exemptFetch(index, of: caller)
    }
  }

  private mutating func exemptFetch(_ index: Int, of caller: TaskChain) {
    let id = id(of: index)
    guard case .fetch = caller.work, !caller.lifecycle.isOver,
      extensions.fetchLimiter?.exempt(id) == true,
      let job = slots[index].job
    else { return }
    slots[index].machine.attemptBegan()
    actionQueue.enqueue(.start(job, attempt: slots[index].machine.failureCount))
  }

  /// Updates the urgency of a fetch in the limiter after a change of its entry.
  mutating func updateLimiter(_ index: Int) {
    guard extensions.active.contains(.fetchLimiter) else { return }
    let id = id(of: index)
    if slots[index].machine.isIdle {
      extensions.fetchLimiter?.exemptionEnded(id)
    } else if slots[index].machine.isActive {
      extensions.fetchLimiter?.raise(id, to: .high)
    } else if let newest = slots[index].waiters.last {
      // The limiter already knows the urgency of the earlier waiters.
      extensions.fetchLimiter?.raise(id, to: FetchUrgency(newest.priority))
    }
  }

  /// Begins the waiting fetches for which there is room, the most urgent first.
  ///
  /// This happens at the end of a transaction, when all waiting fetches are known.
  @inline(never)
  mutating func admitWaitingFetches(_ transaction: inout Transaction) {
    while let entry = nextInRoom() {
      guard let index = find(entry), let job = slots[index].job else { continue }
      let actions = slots[index].machine.turnCame(in: transaction.environment)
      if actions == .none {
        actionQueue.enqueue(.start(job, attempt: slots[index].machine.failureCount))
      } else {
        // The fetch has to pause now, and requests room again when it is resumed, or it is given up.
        releaseFetch(index)
        apply(actions, index, &transaction)
      }
    }
  }

  private mutating func nextInRoom() -> EntryID? {
    guard extensions.fetchLimiter?.hasNext == true, var room = extensions.fetchLimiter.take() else {
      return nil
    }
    let next = room.next { urgency($0) }
    extensions.fetchLimiter = room
    return next
  }

  private func urgency(_ entry: EntryID) -> FetchUrgency? {
    find(entry).map { urgency(of: $0) }
  }

  /// The urgency of an entry's fetch: high if the entry has an enabled observer, otherwise the highest
  /// priority of the waiting callers.
  private func urgency(of index: Int) -> FetchUrgency {
    if slots[index].machine.isActive { return .high }
    return Waiter.priority(of: slots[index].waiters).map(FetchUrgency.init) ?? .background
  }
}
