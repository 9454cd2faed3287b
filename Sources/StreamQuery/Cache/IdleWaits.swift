/// The callers that wait until nothing is going on, and the work they wait for at present.
struct IdleWaits: Sendable {
  /// A fetch or a run that goes on, or the evaluation of conditions.
  enum Work: Sendable {
    case fetch(EntryID)
    case run(MutationID)
    /// Conditions of refetches that are being evaluated.
    case conditions
  }

  private var callers: [(answer: SharedOneShot<Void>, work: WorkID?)] = []
  /// Some work that goes on, for which the callers wait; `nil` if there are no callers.
  private(set) var work: Work?

  /// Adds a caller that waits until no work goes on.
  ///
  /// - Parameters:
  ///   - caller: The signal that ends the wait of the caller.
  ///   - own: The fetch or the run that the caller is part of; `nil` if none.
  ///   - work: The work that goes on.
  mutating func callerCame(_ caller: SharedOneShot<Void>, in own: WorkID?, for work: Work) {
    callers.append((caller, own))
    self.work = work
  }

  /// Lets the callers wait for other work, because the work that they waited for has ended.
  mutating func waitOn(for work: Work) { self.work = work }

  /// Whether a caller that waits here is part of the given work.
  func isCaller(_ work: WorkID) -> Bool { callers.contains { $0.work == work } }

  /// Removes a caller that no longer waits; does nothing if the caller was answered.
  mutating func callerLeft(_ caller: SharedOneShot<Void>) {
    callers.removeAll { $0.answer === caller }
    if callers.isEmpty { work = nil }
  }

  /// Takes all callers, because no work goes on.
  ///
  /// - Returns: The callers, to be answered outside the lock.
  mutating func takeCallers() -> [SharedOneShot<Void>] {
    work = nil
    return callers.takeAll().map(\.answer)
  }
}

// The state decides here which work goes on. Paused work does not count: it may go on in an hour, or never.
// Work that waits for paused work does not count either, such as a run behind a paused run, or a fetch that
// awaits a paused fetch. Work whose own code is one of the waiting callers does not count either.

extension CacheState {
  /// Finds some work that goes on.
  ///
  /// - Parameters:
  ///   - former: The previous work; most likely it still goes on.
  ///   - own: The fetch or the run that the caller is part of, which does not count; `nil` if none.
  /// - Returns: The work; `nil` if nothing goes on.
  /// - Complexity: O(*n*) in the entries that are observed or fetching, and in the runs; O(1) as long as the
  ///   previous work goes on.
  func workUnderWay(likely former: IdleWaits.Work? = nil, but own: WorkID?) -> IdleWaits.Work? {
    switch former {
    case .fetch(let entry):
      if let index = find(entry), isUnderWay(index, but: own) { return former }
    case .run(let run):
      if let row = mutations.find(run), isRunUnderWay(row, but: own) { return former }
    case .conditions where !conditions.isEmpty: return former
    case .conditions, nil: break
    }
    if let index = slots.live.first(where: { isUnderWay(Int($0), but: own) }) {
      return .fetch(id(of: Int(index)))
    }
    if !conditions.isEmpty { return .conditions }
    guard mutations.pendingCount > 0 else { return nil }
    let run = mutations.all.first { run in
      mutations.find(run).map { isRunUnderWay($0, but: own) } ?? false
    }
    return run.map { .run($0) }
  }

  private func isUnderWay(_ index: Int, but own: WorkID?) -> Bool {
    guard slots[index].machine.isFetching, !slots[index].machine.isLive else { return false }
    return !isHeldUp(work(of: index), own)
  }

  private func isRunUnderWay(_ row: Int, but own: WorkID?) -> Bool {
    switch mutations.slots[row].machine.phase {
    case .saving, .queued, .paused, .stopped, .ended: return false
    case .waiting: return true
    case .preparing, .running, .settling:
      guard let job = mutations.slots[row].job else { return false }
      return !isHeldUp(.run(cache: id, serial: job.id.serial, scope: job.scope), own)
    }
  }

  /// Whether the code of a fetch or a run is one of the waiting callers, or waits for work of this cache that
  /// does not go on.
  private func isHeldUp(_ work: WorkID, _ own: WorkID?) -> Bool {
    if work == own || idleWaits.isCaller(work) { return true }
    // Waits never form a circle, so this recursion ends.
    return WorkWait.targets(of: work).contains { target in
      switch target {
      case .fetch(id, let entry):
        guard let index = find(entry), !slots[index].machine.isIdle else { return false }
        return slots[index].machine.isPaused || isHeldUp(target, own)
      case .run(id, let serial, _):
        guard let run = mutations.all.first(where: { $0.serial == serial }),
          let row = mutations.find(run)
        else { return false }
        if case .ended = mutations.slots[row].machine.phase { return false }
        return !isRunUnderWay(row, but: own)
      case .fetch, .run: return false
      }
    }
  }

  /// Adds a caller that waits until no work goes on, if some does now.
  ///
  /// - Parameters:
  ///   - caller: The signal that ends the wait of the caller.
  ///   - own: The fetch or the run that the caller is part of; `nil` if none.
  /// - Returns: Whether the caller has to wait.
  mutating func awaitIdle(_ caller: SharedOneShot<Void>, in own: WorkID?) -> Bool {
    guard let work = workUnderWay(likely: idleWaits.work, but: own) else { return false }
    idleWaits.callerCame(caller, in: own, for: work)
    return true
  }

  /// Answers the waiting callers if no work goes on at the end of a transaction.
  mutating func tellIdle() {
    if let work = workUnderWay(likely: idleWaits.work, but: nil) {
      return idleWaits.waitOn(for: work)
    }
    // The callers are answered after all actions of this and earlier transactions.
    for caller in idleWaits.takeCallers() { actionQueue.enqueue(.reached(caller)) }
  }

  /// Counts that change whenever there is something new for the stores or the outbox to write.
  var keptCounts: [UInt64] {
    [persistedNoteCount, mutations.lastSerial, UInt64(mutations.pendingCount)]
  }
}
